"""What software and devices are for, as far as well-known names tell: a database and a queue are used side by side.

>>> from scrubjay.slots.statements import statement
>>> one, two, three = (statement(f"The backend uses {name}.") for name in ("Redis", "Grafana", "Prometheus"))
>>> side_by_side(one, two), side_by_side(two, three)
(True, False)
"""

from __future__ import annotations

from itertools import chain
from typing import Final, NamedTuple

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import GROUPS, Statement, identity
from scrubjay.slots.vocabulary import MARK, ids_of, single

_KINDS: Final = tuple(
    names.split()
    for names in (
        "python typescript javascript java kotlin rust golang ruby php scala elixir swift haskell",
        "react vue angular svelte solid ember preact",
        "redux zustand mobx pinia vuex recoil",
        "django flask fastapi rails laravel express nestjs spring",
        "postgres postgresql mysql mariadb sqlite oracle mongodb cockroachdb dynamodb cassandra",
        "redis memcached valkey",
        "kafka rabbitmq sqs nats celery",
        "kubernetes nomad openshift swarm",
        "docker podman containerd",
        "terraform pulumi ansible puppet chef",
        "prometheus grafana datadog nagios zabbix",
        "sentry rollbar bugsnag",
        "jenkins circleci travis teamcity buildkite bamboo github-actions gitlab-ci drone-ci",
        "slack teams microsoft-teams ms-teams google-chat mattermost zulip discord",
        "jira linear trello asana redmine youtrack",
        "confluence notion wiki google-docs",
        "figma sketch penpot",
        "dropbox nextcloud onedrive owncloud google-drive",
        "zoom webex skype jitsi google-meet",
        "mailchimp brevo sendgrid mailgun postmark",
        "xero quickbooks datev sage",
        "aws azure gcp heroku hetzner ovh digitalocean netlify vercel",
        "gerrit gitlab bitbucket github",
        "snowflake bigquery redshift databricks",
        "npm yarn pnpm",
        "vim neovim helix emacs vscode vs-code visual-studio zed pycharm intellij sublime-text",
        "linux ubuntu debian fedora centos windows macos mac-os mac",
        "firefox chrome safari brave chromium vivaldi opera microsoft-edge",
        "outlook thunderbird gmail protonmail fastmail",
        "excel google-sheets airtable",
        "1password bitwarden lastpass keepass",
        "spotify deezer tidal apple-music youtube-music",
        "thinkpad macbook chromebook ideapad zenbook elitebook mac",
        "iphone android ios fairphone pixel galaxy",
        "garmin fitbit apple-watch",
        "stripe adyen paypal braintree mollie",
        "nginx apache caddy haproxy traefik",
        "pytest jest mocha junit cypress playwright",
        "webpack vite rollup esbuild parcel",
        "elasticsearch opensearch solr meilisearch",
    )
)
"""Names for one use each, a Mac for two; of two words that are joined by a hyphen here."""
_KIND_OF: Final = {
    tuple(map(identity, name.split("-"))): frozenset(kind for kind, some in enumerate(_KINDS) if name in some)
    for name in chain.from_iterable(_KINDS)
}
_LONGEST: Final = max(map(len, _KIND_OF))
_FIRST: Final = frozenset(name[0] for name in _KIND_OF)


class Product(NamedTuple):
    """Software, or a device, that a statement names."""

    at: int
    """Where among its words,"""
    name: tuple[int, ...]
    """by which of them,"""
    kinds: frozenset[int]
    """and of which kinds it is."""


@kept_with
def products(said: Statement) -> tuple[Product, ...]:
    """The software that a statement names, a name of two words before one of them: "GitHub Actions" is no GitHub."""
    ids = tuple(said.ids.tolist())
    if _FIRST.isdisjoint(ids):
        return ()
    found: list[Product] = []
    for at in range(len(ids)):
        if found and at < found[-1].at + len(found[-1].name):
            continue
        name = next((ids[at : at + n] for n in range(_LONGEST, 0, -1) if ids[at : at + n] in _KIND_OF), ())
        if name:
            found.append(Product(at, name, _KIND_OF[name]))
    return tuple(found)


@kept_with
def kinds(said: Statement) -> frozenset[int]:
    """The kinds of the software that a statement names."""
    return frozenset().union(*(product.kinds for product in products(said)))


_USES: Final = ids_of(
    "uses use nutzt nutze nutzen benutzt benutze benutzen verwendet verwende verwenden utilise utilisons usa uso usamos"
    " utiliza utilizzo utilizza usiamo"
)
_A: Final = ids_of("a an ein eine einen un une una uno um uma")
_NAME: Final = GROUPS.index("name")


@kept_with
def used(said: Statement) -> int:
    """Where what it says is used begins, 0 where it says that of nothing, or that it is used now or no more."""
    if said.marks[MARK["negation"]] or said.marks[MARK["update"]] or not single(said):
        return 0
    ids = said.ids.tolist()
    at = next((i for i, word in enumerate(ids) if i and word in _USES), 0)
    return at + 1 if at and at + 1 < len(ids) else 0


def _unlike(one: Statement, other: Statement) -> bool:
    at = used(one)
    if at != used(other) or one.ids[:at].tolist() != other.ids[:at].tolist():
        return False
    return int(one.ids[at]) in _A and bool(other.groups[at, _NAME])


unlike: Final = Law(_unlike, lambda s: used(s) > 0, _A, other=lambda s: used(s) > 0)
"""The same uses one of many things, as a device, and what has a name alone: "uses a tablet", "uses Obsidian"."""
side_by_side: Final = Law(lambda a, b: kinds(a).isdisjoint(kinds(b)), lambda s: bool(kinds(s)), mutual=True)
"""Both name software, and none of a kind that the other names."""
