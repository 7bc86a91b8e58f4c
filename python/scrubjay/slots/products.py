"""What software is for, as far as well-known names tell: a database and a queue are used side by side.

>>> from scrubjay.slots.statements import statement
>>> one, two, three = (statement(f"The backend uses {name}.") for name in ("Redis", "Grafana", "Prometheus"))
>>> side_by_side(one, two), side_by_side(two, three)
(True, False)
"""

from __future__ import annotations

from typing import Final

from scrubjay.remembered import kept_with
from scrubjay.slots.laws import Law
from scrubjay.slots.statements import Statement
from scrubjay.slots.vocabulary import ids_of

_KINDS: Final = tuple(
    ids_of(names)
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
        "jenkins circleci travis teamcity buildkite bamboo",
        "slack teams mattermost zulip discord",
        "jira linear trello asana redmine youtrack",
        "confluence notion wiki",
        "figma sketch penpot",
        "dropbox nextcloud onedrive owncloud",
        "zoom webex skype jitsi",
        "mailchimp brevo sendgrid mailgun postmark",
        "xero quickbooks datev sage",
        "aws azure gcp heroku hetzner ovh digitalocean netlify vercel",
        "gerrit gitlab bitbucket github",
        "snowflake bigquery redshift databricks",
        "npm yarn pnpm",
        "vim emacs vscode vs zed pycharm intellij",
        "ubuntu debian fedora centos windows macos",
        "stripe adyen paypal braintree mollie",
        "nginx apache caddy haproxy traefik",
        "pytest jest mocha junit cypress playwright",
        "webpack vite rollup esbuild parcel",
        "elasticsearch opensearch solr meilisearch",
    )
)
_NONE: Final = frozenset[int]()
_KIND_OF: Final = {name: kind for kind, names in enumerate(_KINDS) for name in names}
_NAMES: Final = frozenset(_KIND_OF)
_EACH: Final = {name: frozenset((kind,)) for name, kind in _KIND_OF.items()}


def named(word: int) -> frozenset[int]:
    """The kind of the software that a word, by its identity, names; none where it names none that is known."""
    return _EACH.get(word, _NONE)


@kept_with
def kinds(said: Statement) -> frozenset[int]:
    """The kinds of the software that a statement names."""
    found = _NAMES.intersection(said.ids.tolist())
    return frozenset(_KIND_OF[name] for name in found) if found else _NONE


side_by_side: Final = Law(lambda a, b: kinds(a).isdisjoint(kinds(b)), lambda s: bool(kinds(s)), mutual=True)
"""Both name software, and none of a kind that the other names."""
