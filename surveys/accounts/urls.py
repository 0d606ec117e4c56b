"""Signing up, in and out, and people's own accounts."""

from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from surveys.accounts.views import account, sign_up
from surveys.accounts.views import account as views_account
from surveys.accounts.views.sign_in import SignInView, SignOutView, sign_in_code

urlpatterns: list[URLPattern] = [
    path("sign-in/", SignInView.as_view(), name="login"),
    path("sign-in/code/", sign_in_code, name="sign-in-code"),
    path("sign-out/", SignOutView.as_view(), name="logout"),
    path("sign-up/", sign_up.sign_up, name="sign-up"),
    path("sign-up/sent/", sign_up.sign_up_sent, name="sign-up-sent"),
    path("sign-up/<str:token>/", sign_up.sign_up_invited, name="sign-up-invited"),
    path("password/reset/", views_account.password_reset, name="password-reset"),
    path("password/reset/sent/", views_account.password_reset_sent, name="password-reset-sent"),
    path(
        "password/reset/<str:uidb64>/<str:token>/",
        # Django's view answers a link that leads nowhere before it looks at the method.
        require_http_methods(["GET", "HEAD", "POST"])(views_account.PasswordReset.as_view()),
        name="password-reset-confirm",
    ),
    path("password/change/", views_account.password_change, name="password-change"),
    path("account/", account.account, name="account"),
    path("account/sign-out/", account.account_sign_out, name="account-sign-out"),
    path("account/two-factor/", views_account.two_factor, name="two-factor"),
    path("account/two-factor/codes/", views_account.two_factor_codes, name="two-factor-codes"),
    path("account/two-factor/off/", views_account.two_factor_off, name="two-factor-off"),
]
