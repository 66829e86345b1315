"""schemathesis has no serializer for NDJSON, which the import of people takes."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context, value):
    if isinstance(value, bytes):
        return {"data": value}
    return {"data": (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", errors="ignore")}
