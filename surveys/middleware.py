"""The one header that no library sets for us."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

_FEATURES = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media",
    "fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer",
    "microphone", "midi", "otp-credentials", "payment", "picture-in-picture", "publickey-credentials-get",
    "screen-wake-lock", "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking",
)  # fmt: skip
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _FEATURES)


def permissions_policy(get_response: GetResponse) -> GetResponse:
    """Turn every browser feature off: a survey needs none of them."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response["Permissions-Policy"] = PERMISSIONS_POLICY
        return response

    return middleware
