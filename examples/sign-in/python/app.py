# A web app with Flask in which people sign in, with Authlib.
#
#   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
#     --redirect-uri http://127.0.0.1:4000/callback
#   python3 -m venv examples/sign-in/python/.venv
#   examples/sign-in/python/.venv/bin/pip install --quiet --requirement examples/sign-in/python/requirements.txt
#   CLIENT_ID=… CLIENT_SECRET=… examples/sign-in/python/.venv/bin/flask --app examples/sign-in/python/app run --port 4000
#
# Open http://127.0.0.1:4000.

import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
# A real app has a constant key: with a new one, everybody is signed out.
app.secret_key = os.environ.get("SECRET_KEY") or secrets.token_hex()

issuer = os.environ.get("ISSUER", "http://localhost:9400")
oauth = OAuth(app)
oauth.register(
    "assent",
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    return session.get("person") or redirect(url_for("sign_in"))


@app.get("/sign-in")
def sign_in():
    return oauth.assent.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    # Checks `state` and the ID token, its `nonce` included.
    token = oauth.assent.authorize_access_token()
    person = oauth.assent.userinfo(token=token)
    session.clear()
    # `token["userinfo"]` has the claims of the ID token.
    session["person"] = {**token["userinfo"], **person}
    return redirect(url_for("home"))
