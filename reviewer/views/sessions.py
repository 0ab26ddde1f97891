"""Sign-in and passwords: Django's own views, with our words.

After repeated failures django-axes answers in place of the sign-in form.
"""

from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator

from reviewer.forms import ResetForm, SignInForm


@method_decorator(login_not_required, name="dispatch")
class SignIn(auth.LoginView):
    """The sign-in form; somebody who is signed in goes on to where they were going."""

    template_name = "registration/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        # A part of a page was asked for after the session had ended: load the whole
        # page, which then asks to sign in, rather than put this form in a corner of it.
        if request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Refresh": "true"})
        return super().dispatch(request, *args, **kwargs)


class SignOut(auth.LogoutView):
    """POST only, so that no link or picture on another site can sign anybody out."""


class PasswordChange(auth.PasswordChangeView):
    template_name = "registration/password_change.html"
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, "Your password was changed. Other browsers are signed out.")
        return super().form_valid(form)


class PasswordReset(auth.PasswordResetView):
    """Asks for an address and says the same whether or not it is known."""

    template_name = "registration/password_reset.html"
    form_class = ResetForm
    email_template_name = "registration/password_reset_mail.txt"
    subject_template_name = "registration/password_reset_subject.txt"
    success_url = reverse_lazy("password-reset-sent")


class PasswordResetSent(auth.PasswordResetDoneView):
    template_name = "registration/password_reset_sent.html"


class PasswordResetConfirm(auth.PasswordResetConfirmView):
    template_name = "registration/password_reset_confirm.html"
    success_url = reverse_lazy("sign-in")

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        messages.success(self.request, "Your password was set. Sign in with it.")
        return super().form_valid(form)
