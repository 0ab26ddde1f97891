"""The demo workspace: three people, sample proposals, readings from recorded answers."""

from typing import Any

from django.core.management.base import BaseCommand

from reviewer.services.demo import add_samples, create_demo


class Command(BaseCommand):
    help = "Create the demo workspace once, and print how to sign in. Does nothing later."

    def handle(self, *args: Any, **options: Any) -> None:
        people = create_demo()
        if people:
            # Before the samples, which take a while: what is interrupted must not cost these.
            self.stdout.write("Sign in as one of these; the passwords are shown this once:\n")
            for person in people:
                self.stdout.write(f"  {person.username:<6} {person.password}   ({person.role})")
            self.stdout.write(
                "\nLost them? .venv/bin/python manage.py changepassword NAME sets another.\n"
            )
            self.stdout.flush()
        add_samples(say=self.stdout.write)
