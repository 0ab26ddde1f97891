"""A new workspace with its first manager, for whoever runs the installation."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.text import slugify

from reviewer.services.errors import ServiceError
from reviewer.services.members import begin_workspace


class Command(BaseCommand):
    help = (
        "Make a workspace and its first manager, who adds the others. An account that is made "
        "for it gets a password, which is printed this once. Exit status 1 where nothing was made."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="as people read it: “Field Systems”")
        parser.add_argument("--manager", required=True, metavar="USER", help="a user name")
        parser.add_argument("--email", default="", help="of the manager, where it has no account")
        parser.add_argument("--slug", default="", help="in addresses; made of NAME where not given")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manager, password = begin_workspace(
                name=options["name"],
                slug=options["slug"] or slugify(options["name"])[:60],
                manager=options["manager"],
                email=options["email"],
            )
        except ServiceError as error:
            self.stderr.write(error.message)
            sys.exit(1)
        self.stdout.write(f"workspace  {manager.workspace.name}, at /w/{manager.workspace.slug}/")
        self.stdout.write(f"manager    {manager.user.get_username()}")
        if password:
            self.stdout.write(f"password   {password}")
