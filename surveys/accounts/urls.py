"""Signing up, in and out, and people's own accounts."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

account, provider, sign_in, sign_up = (
    Views(f"surveys.accounts.views.{name}") for name in ("account", "provider", "sign_in", "sign_up")
)

urlpatterns: list[URLPattern] = [
    path("sign-in/", sign_in.sign_in, name="login"),
    path("sign-in/code/", sign_in.sign_in_code, name="sign-in-code"),
    path("sign-out/", sign_in.sign_out, name="logout"),
    path("sign-up/", sign_up.sign_up, name="sign-up"),
    path("sign-up/sent/", sign_up.sign_up_sent, name="sign-up-sent"),
    path("sign-up/<str:token>/", sign_up.sign_up_invited, name="sign-up-invited"),
    # `surveys/asgi.py` keeps these from those who do not wait for the provider.
    path("provider/", provider.start, name="provider-start"),
    path("provider/back/", provider.back, name="provider-back"),
    path("provider/sign-up/", provider.sign_up, name="provider-sign-up"),
    path("provider/sign-up/<str:token>/", provider.start_invited, name="provider-invited"),
    path("provider/connect/", provider.start_connecting, name="provider-connect"),
    path("provider/confirm/", provider.start_confirming, name="provider-confirm"),
    path("provider/account/", provider.provider_account, name="provider-account"),
    path("provider/signed-out/", provider.signed_out, name="provider-signed-out"),
    path("password/reset/", account.password_reset, name="password-reset"),
    path("password/reset/sent/", account.password_reset_sent, name="password-reset-sent"),
    path("password/reset/<str:uidb64>/<str:token>/", account.password_reset_confirm, name="password-reset-confirm"),
    path("password/change/", account.password_change, name="password-change"),
    path("account/", account.account, name="account"),
    path("account/sign-out/", account.account_sign_out, name="account-sign-out"),
    path("account/two-factor/", account.two_factor, name="two-factor"),
    path("account/two-factor/codes/", account.two_factor_codes, name="two-factor-codes"),
    path("account/two-factor/off/", account.two_factor_off, name="two-factor-off"),
]
