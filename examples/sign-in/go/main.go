// A web app in Go in which people sign in, with go-oidc.
//
//   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
//     --redirect-uri http://127.0.0.1:4000/callback
//   go build -C examples/sign-in/go -o club .
//   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 examples/sign-in/go/club
//
// Open http://127.0.0.1:4000.

package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	issuer := cmp.Or(os.Getenv("ISSUER"), "http://localhost:9400")
	address := "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "4000")
	// Reads {issuer}/.well-known/openid-configuration.
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  "http://" + address + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	idTokens := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		keep(w, "state", state)
		keep(w, "nonce", nonce)
		keep(w, "verifier", verifier)
		link := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
		http.Redirect(w, r, link, http.StatusFound)
	})

	http.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		if state := kept(r, "state"); state == "" || r.FormValue("state") != state {
			http.Error(w, "This sign-in did not begin in this browser.", http.StatusBadRequest)
			return
		}
		tokens, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(kept(r, "verifier")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, _ := tokens.Extra("id_token").(string)
		// Checks the signature, `iss`, `aud` and `exp`, but not `nonce`.
		idToken, err := idTokens.Verify(r.Context(), text)
		if err != nil || idToken.Nonce != kept(r, "nonce") {
			http.Error(w, "The ID token is wrong.", http.StatusBadRequest)
			return
		}
		person, err := provider.UserInfo(r.Context(), oauth2.StaticTokenSource(tokens))
		if err != nil || person.Subject != idToken.Subject {
			http.Error(w, "UserInfo did not answer.", http.StatusBadGateway)
			return
		}
		// A real app begins its session here.
		claims := map[string]any{}
		if idToken.Claims(&claims) != nil || person.Claims(&claims) != nil {
			http.Error(w, "The claims cannot be read.", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(claims)
	})

	log.Print("App on http://", address)
	log.Fatal(http.ListenAndServe(address, nil))
}

// Keeps a value in the browser until the callback. A site with https also sets `Secure`.
func keep(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/callback", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func kept(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}
