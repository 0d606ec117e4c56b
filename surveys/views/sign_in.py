"""Signing in."""

from django.contrib.auth.views import LoginView


class SignIn(LoginView):
    """Django's view; a signed-in visitor whose next page would be this one again goes to their surveys."""

    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:
        """Return the page asked for, unless that is this one."""
        asked = super().get_redirect_url()
        return "" if asked.partition("?")[0] == self.request.path else asked
