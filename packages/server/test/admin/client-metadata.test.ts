import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ClientMetadata, readRegistration } from "../../src/oauth/client-registration/metadata.ts";

const confidential = {
  token_endpoint_auth_method: "client_secret_basic",
  grant_types: ["authorization_code", "refresh_token"],
} as const;

const aRegistration = (changes: ClientMetadata = {}): ClientMetadata => ({
  client_name: "Photo Printer",
  redirect_uris: ["https://app.test/cb"],
  ...changes,
});

/** Each problem as `field (error): problem`. Empty if the metadata is valid. */
function problemsOf(changes: ClientMetadata): string[] {
  const read = readRegistration(aRegistration(changes));
  return read.kind === "valid"
    ? []
    : read.problems.map(({ field, error, problem }) => `${field} (${error}): ${problem}`);
}

describe("post_logout_redirect_uris", () => {
  test.each([
    "http://app.test/bye",
    "https://app.test/bye#f",
    "https://user@app.test/bye",
    "https://app.test/bye?state=x",
    String.raw`https:/\evil.test`,
    "com.example.app:/bye",
    "javascript:alert(1)",
    "/bye",
  ])("%s → refused", (uri) => {
    expect(problemsOf({ post_logout_redirect_uris: [uri] })).toEqual([
      expect.stringMatching(/^post_logout_redirect_uris \(invalid_client_metadata\): /),
    ]);
  });

  test("https, or http on this device → registered; absent → none", () => {
    const uris = ["https://app.test/bye?from=assent", "http://127.0.0.1:8080/bye", "http://localhost/bye"];
    const fieldsOf = (changes: ClientMetadata) => {
      const read = readRegistration(aRegistration(changes));
      return read.kind === "valid" && read.fields.postLogoutRedirectUris;
    };
    expect(fieldsOf({ post_logout_redirect_uris: uris })).toEqual(uris);
    expect(fieldsOf({})).toEqual([]);
  });
});

describe("backchannel_logout_uri", () => {
  test.each(["http://app.test/logout", "https://app.test/logout#f", "app:/logout", "/logout"])(
    "%s → refused",
    (uri) => {
      expect(problemsOf({ backchannel_logout_uri: uri })).toEqual([
        expect.stringMatching(/^backchannel_logout_uri \(invalid_client_metadata\): /),
      ]);
    },
  );

  test("https → registered; sessions required without it, or not true or false → refused", () => {
    const read = readRegistration(
      aRegistration({ backchannel_logout_uri: "https://app.test/out", backchannel_logout_session_required: true }),
    );
    expect(read).toMatchObject({
      fields: { backchannelLogoutUri: "https://app.test/out", backchannelLogoutSessionRequired: true },
    });
    expect(problemsOf({ backchannel_logout_session_required: true })[0]).toContain("needs a backchannel_logout_uri");
    expect(problemsOf({ backchannel_logout_session_required: "yes" })[0]).toContain("must be true or false");
  });
});

describe("DR-03 redirect_uris", () => {
  test.each([
    ...["code", "state", "iss", "error", "response"].map((name) => `https://web.test/cb?${name}=evil`),
    "http://app.test/cb",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:https://app.test/1",
    "file:///etc/passwd",
    "about:blank",
    " javascript:alert(1)",
    "java%0ascript:alert(1)",
    "https://*.app.test/*",
    "https://app.test*",
    "https://app.test/*",
    "^https://app\\.test/.*$",
    "https://app.test/cb#fragment",
    "https://user:pass@app.test/cb",
    "https://app.test/a/../cb",
    "/cb",
    "myapp:/cb",
    "",
  ])("%j → invalid_redirect_uri", (uri) => {
    expect(problemsOf({ redirect_uris: [uri] })).toEqual([
      expect.stringMatching(/^redirect_uris \(invalid_redirect_uri\): /),
    ]);
  });

  test("none, for a client of the code flow → refused", () => {
    expect(problemsOf({ redirect_uris: [] })[0]).toContain("needs a redirect URI");
    expect(problemsOf({ redirect_uris: null })[0]).toContain("needs a redirect URI");
  });

  test("21 → refused, 20 → registered", () => {
    const uris = Array.from({ length: 21 }, (_, at) => `https://app.test/${at}`);
    expect(problemsOf({ redirect_uris: uris })).toEqual([
      expect.stringContaining("the list has 21 URIs; at most 20 are allowed"),
    ]);
    expect(problemsOf({ redirect_uris: uris.slice(1) })).toEqual([]);
  });

  test("101 grant types → one problem", () => {
    const many = Array.from({ length: 101 }, (_, at) => `g${at}`);
    expect(problemsOf({ grant_types: many })).toEqual([
      "grant_types (invalid_client_metadata): the list has more than 100 entries",
    ]);
  });

  test("must be a list of strings → refused", () => {
    expect(problemsOf({ redirect_uris: "https://app.test/cb" })[0]).toContain("must be a list of strings");
    expect(problemsOf({ redirect_uris: [1] })[0]).toContain("must be a list of strings");
  });

  test("two bad ones → both are told", () => {
    expect(problemsOf({ redirect_uris: ["http://a.test/", "https://b.test/#x"] })).toHaveLength(2);
  });

  test.each([
    "https://app.test/cb?tenant=1",
    "http://127.0.0.1/cb",
    "http://[::1]:8080/cb",
    "http://localhost:3000/",
    "com.example.app:/cb",
  ])("%s → registered", (uri) => expect(problemsOf({ redirect_uris: [uri] })).toEqual([]));
});

describe("client_name", () => {
  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["blank", "   "],
    ["121 characters", "x".repeat(121)],
    ["a line end", "Photo\nPrinter"],
    ["an escape sequence", "Photo\u001b[31m"],
    ["a C1 control", "Photo\u009b31m"],
    ["a direction override", "Photo \u202etxt.exe"],
    ["a direction isolate", "Photo\u2066 x\u2069"],
    ["a zero-width space", "Pho\u200bto"],
    ["a language tag", "Photo\u{e0041}"],
    ["half a surrogate pair", "Photo\ud800"],
    ["a space at its end", "Photo "],
    ["no text", 7],
  ])("%s → refused", (_, name) => {
    expect(problemsOf({ client_name: name }).length).toBeGreaterThan(0);
  });

  test.each([
    "x",
    "📷 Фото-Принтер",
    "写真プリンター",
    "👩‍👩‍👧 Family",
    "ä".repeat(120),
    "<script>alert(1)</script>",
    "{{7*7}}",
  ])("%j → registered as it is", (name) => {
    const read = readRegistration(aRegistration({ client_name: name }));
    expect(read.kind === "valid" && read.fields.name).toBe(name.normalize("NFC"));
  });
});

describe("grant and response types", () => {
  test.each(["AUTHORIZATION_CODE", "Implicit", "urn:openid:params:grant-type:ciba"])(
    "grant type %s, which isn't built → refused with those there are",
    (grant) => {
      expect(problemsOf({ grant_types: ["authorization_code", grant] })[0]).toMatch(
        /^grant_types .* is not one of authorization_code, refresh_token, .*implicit$/,
      );
    },
  );

  test.each([["refresh_token", "implicit"], ["implicit"]])(
    "%s, %s without a redirect_uri, or only so → refused",
    (...grants) => {
      expect(problemsOf({ grant_types: grants, redirect_uris: [] }).join()).toMatch(
        /implicit needs a redirect URI|has no effect/,
      );
    },
  );

  test("implicit → the response type token goes with it, and none without the other", () => {
    const read = readRegistration(aRegistration({ grant_types: ["implicit"] }));
    expect(read.kind === "valid" && read.fields.responseTypes).toEqual(["token"]);
    expect(problemsOf({ response_types: ["token"] })[0]).toContain("needs the grant type implicit");
    expect(problemsOf({ grant_types: ["implicit"], response_types: ["code"] })[0]).toContain("authorization_code");
  });

  test("password alone → registered, without a redirect_uri and without response types", () => {
    const read = readRegistration(aRegistration({ grant_types: ["password"], redirect_uris: [] }));
    expect(read.kind === "valid" && [read.fields.grantTypes, read.fields.responseTypes]).toEqual([["password"], []]);
  });

  test("refresh_token alone → refused", () => {
    expect(problemsOf({ grant_types: ["refresh_token"] })[0]).toContain("has no effect");
  });

  test.each([
    [["urn:ietf:params:oauth:grant-type:jwt-bearer"]],
    [["urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:saml2-bearer"]],
    [["client_credentials"]],
  ])("refresh_token beside %j, which give none → refused; with a code beside them → registered", (others) => {
    const grants = [...others, "refresh_token"];
    expect(problemsOf({ grant_types: grants, redirect_uris: [] })).toEqual([
      expect.stringMatching(/^grant_types .*refresh_token has no effect.*leave it out, or/),
    ]);
    expect(readRegistration(aRegistration({ grant_types: [...grants, "authorization_code"] })).kind).toBe("valid");
  });

  test("no grant type → refused", () => {
    expect(problemsOf({ grant_types: [] }).join()).toContain(
      "grant_types (invalid_client_metadata): the list is empty",
    );
  });

  test.each(["id_token", "code token", "token code", "TOKEN", "none"])("response type %s → refused", (type) => {
    expect(problemsOf({ response_types: [type] })[0]).toContain("is not one of code");
  });

  test("no response type for the code flow → refused", () => {
    expect(problemsOf({ response_types: [] })[0]).toContain("the list is empty");
  });

  test("left out → the defaults of RFC 7591, or those of the caller", () => {
    const byRfc = readRegistration(aRegistration());
    expect(byRfc.kind === "valid" && byRfc.fields).toMatchObject({
      grantTypes: ["authorization_code"],
      responseTypes: ["code"],
      authMethod: "client_secret_basic",
      type: "confidential",
    });
    const ours = readRegistration(aRegistration(), confidential);
    expect(ours.kind === "valid" && ours.fields.grantTypes).toEqual(["authorization_code", "refresh_token"]);
  });
});

describe("other members", () => {
  test("an authentication method that isn't built → refused with those there are", () => {
    expect(problemsOf({ token_endpoint_auth_method: "spiffe_jwt" })[0]).toContain(
      "is not one of client_secret_basic, client_secret_post, client_secret_jwt, private_key_jwt, workload_jwt, tls_client_auth, self_signed_tls_client_auth, none",
    );
  });

  test("method none → a public client", () => {
    const read = readRegistration(aRegistration({ token_endpoint_auth_method: "none" }));
    expect(read.kind === "valid" && read.fields.type).toBe("public");
  });

  test.each([
    "http://app.test/",
    "javascript:alert(1)",
    "//app.test/",
    "https://",
    "https://a@b/",
    "https://app.test/ x",
    1,
  ])("DR-06 client_uri, policy_uri, tos_uri %j → refused", (uri) => {
    expect(problemsOf({ client_uri: uri, policy_uri: uri, tos_uri: uri })).toHaveLength(3);
  });

  test("scope with a quote, a control or 201 names → refused", () => {
    expect(problemsOf({ scope: 'a "b"' })).toHaveLength(1);
    expect(problemsOf({ scope: "a\tb" })).toHaveLength(1);
    expect(problemsOf({ scope: Array.from({ length: 201 }, (_, at) => `s${at}`).join(" ") })[0]).toContain("200");
  });

  test("DR-12 unknown members → ignored; a scope or URI named twice → once", () => {
    const read = readRegistration(
      aRegistration({ software_id: 7, scope: "b a  b", redirect_uris: ["https://app.test/cb", "https://app.test/cb"] }),
    );
    expect(read.kind === "valid" && read.fields).toMatchObject({
      scopes: ["b", "a"],
      redirectUris: ["https://app.test/cb"],
    });
  });

  test("any JSON at all → valid or problems, each short and printable; never an exception", () => {
    const members = [
      "client_name",
      "redirect_uris",
      "grant_types",
      "response_types",
      "scope",
      "token_endpoint_auth_method",
      "tos_uri",
    ];
    const metadata = fc.dictionary(
      fc.constantFrom(...members),
      fc.oneof(fc.jsonValue(), fc.array(fc.string({ unit: "binary" }))),
    );
    fc.assert(
      fc.property(metadata, (given) => {
        const read = readRegistration(given as ClientMetadata);
        const problems = read.kind === "invalid" ? read.problems : [];
        // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what we look for
        const unfit = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|.{900}/s;
        return problems.length < 300 && problems.every(({ problem }) => !unfit.test(problem));
      }),
      { numRuns: 500 },
    );
  });
});
