"""The Tinker wire protocol over HTTP: routes, dialects, futures, ordering. Never imports torch."""
