/**
 * Claims of your own in one file (OpenID Connect Core §5.1.2). Clients with the scope `team` learn the team and the ward of
 * a person, which a clinic keeps in a directory with an address for each person.
 *
 * The server and its commands use this file as their configuration. In every terminal type
 * `export ASSENT_CONFIG=examples/custom-claims.ts STAFF=https://staff.clinic.example/people`, with the address of your
 * directory.
 *
 *   npx assent serve
 *   npx assent scope create team --description "See your team"
 *   npx assent user create --username alice --email alice@clinic.example --generate-password --json
 *   npx assent client create --name Rota --type public --scope "openid team" \
 *     --redirect-uri https://rota.clinic.example/cb --json
 */

import type { CustomClaims } from "@assent/server";

export const team: CustomClaims = {
  scope: "team",
  claims: ["team", "https://clinic.example/ward"],
  timeout: 500,

  async give({ sub, signal }) {
    const answer = await fetch(`${process.env["STAFF"]}/${sub}`, { signal });
    if (answer.status === 404) return {};
    if (!answer.ok) throw new Error("the directory doesn't answer");
    const { team, ward } = (await answer.json()) as { readonly team?: string; readonly ward?: string };
    return { team, "https://clinic.example/ward": ward };
  },
};

export default { customClaims: [team] };
