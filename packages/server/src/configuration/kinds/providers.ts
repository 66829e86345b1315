/** The operator's sign-in providers in a configuration. Their key is a name that the file chooses. */

import { providerRecord } from "../../admin/output-records.ts";
import { allProviders, DEFAULT_PROVIDER_SCOPES, impactOfProvider } from "../../admin/sign-in-providers.ts";
import { openProviderSecret } from "../../crypto/sign-in-provider-secrets.ts";
import { PROVIDER_PRESETS, settingsOfPreset } from "../../owners/identities/provider-presets.ts";
import type { PresetName, SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import {
  type Context,
  type Entry,
  entrySchema,
  type Fields,
  type Kind,
  type Present,
  present,
  status,
  withDomains,
} from "../kind.ts";
import { bodyOf } from "../run-operations.ts";

const SECRET = "client_secret";

const isPreset = (name: unknown): name is PresetName =>
  typeof name === "string" && Object.hasOwn(PROVIDER_PRESETS, name);

function defaults({ preset, type }: Fields): Fields {
  const known = isPreset(preset) ? PROVIDER_PRESETS[preset] : undefined;
  const scopes = known?.scopes ?? (type === "oauth" ? [] : DEFAULT_PROVIDER_SCOPES);
  return {
    ...{ name: known?.name ?? "", client_id: "", type: known?.endpointsOf === undefined ? "openid" : "oauth" },
    ...{ preset: null, issuer: null, tenant: null, authorization_endpoint: null, token_endpoint: null },
    ...{ user_endpoint: null, team_id: null, key_id: null, scope: scopes.join(" "), claims: known?.claims ?? {} },
    ...{ profile: "first", mfa_acr: [], mfa_amr: [], position: null, email_domains: [], trust_email: false },
    ...{ create_people: true, believe_fresh: false, hosted_domain: null, when_disabled: "keep", change_clients: [] },
    status: "active",
  };
}

/** The inputs of a preset become the issuer. */
function canonical(given: Fields): Fields {
  const fields = withDomains(given);
  const { host, realm, tenant, preset, ...rest } = fields;
  if (!isPreset(preset)) return fields;
  const issuer = typeof fields["issuer"] === "string" ? fields["issuer"] : undefined;
  const inputs = { host, realm, tenant } as {
    readonly host?: string;
    readonly realm?: string;
    readonly tenant?: string;
  };
  const made = settingsOfPreset(preset, issuer, inputs);
  if (made.kind === "problems") return fields;
  return { ...rest, preset, issuer: made.settings.issuer, ...(tenant === undefined ? {} : { tenant }) };
}

function presentOf(provider: SignInProvider, label: string, { issuer }: Context): Present {
  const { preset, requiredClaims = {} } = provider;
  const own = isPreset(preset) && PROVIDER_PRESETS[preset].endpointsOf !== undefined;
  const { authorization_endpoint, token_endpoint, user_endpoint, ...record } = providerRecord(provider, issuer);
  const endpoints = own ? {} : { authorization_endpoint, token_endpoint, user_endpoint };
  const further = {
    hosted_domain: requiredClaims["hd"],
    tenant: preset === "entra" ? requiredClaims["tid"] : undefined,
  };
  return {
    label,
    recordId: provider.id,
    fields: present({ ...record, ...endpoints, ...further }, defaults(record)),
    record: provider,
  };
}

function labelOf(provider: SignInProvider, entries: readonly Entry[], marked: string | undefined): string {
  const same = entries.find(({ fields }) => {
    const { issuer, client_id: clientId } = canonical(fields);
    return issuer === provider.issuer && clientId === provider.clientId;
  });
  return same?.label ?? marked ?? `${slugOf(provider.name)}-${provider.id.slice(0, 4).toLowerCase()}`;
}

function slugOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return words.replace(/^-+|-+$/g, "").slice(0, 40) || "provider";
}

/** Of a preset with its own issuer, the file names the input instead. */
function exported({ issuer, ...fields }: Fields): Fields {
  const { preset } = fields;
  if (!isPreset(preset) || PROVIDER_PRESETS[preset].otherIssuer) return { issuer, ...fields };
  const host = preset === "github" ? new URL(String(issuer)).host : "github.com";
  return host === "github.com" ? fields : { ...fields, host };
}

export const providers: Kind = {
  section: "providers",
  noun: "sign-in provider",
  keyed: "a name of your choice",
  schema: entrySchema(bodyOf("providers.create"), ["company_id", "roles"], { status }),
  ...{ secrets: [SECRET], documents: [], fixed: ["type", "preset", "tenant"] },
  defaults,
  canonical,
  exported,
  async find(wanted, marks, context) {
    const all = await allProviders(context);
    return all
      .map((provider) => {
        const marked = marks.find(({ recordId }) => recordId === provider.id)?.label;
        return presentOf(provider, labelOf(provider, wanted?.entries ?? [], marked), context);
      })
      .filter(({ label }) => wanted === null || wanted.labels.includes(label));
  },
  hasSecret({ record }, _field, secret, { secrets }) {
    const { id, sealedSecret } = record as SignInProvider;
    return sealedSecret !== null && openProviderSecret(secrets(), id, sealedSecret) === secret;
  },
  secretsOf: ({ record }) => ((record as SignInProvider).sealedSecret === null ? [] : [SECRET]),
  async create({ fields, secrets }, operator) {
    const { status: asked, ...given } = fields;
    const { id } = await operator.run("providers.create", {}, { ...given, ...secrets });
    if (asked === "disabled") await operator.run("providers.update", { id: String(id) }, { status: asked });
    return String(id);
  },
  // With another issuer, the stored secret would be lost.
  async update({ recordId: id }, changes, { secrets }, operator) {
    await operator.run("providers.update", { id }, { ...changes, ...secrets });
  },
  async remove({ recordId: id }, operator) {
    await operator.run("providers.delete", { id });
  },
  // A disabled provider keeps its connections to people.
  async ends({ recordId }, how, context) {
    const { people, stranded } = await impactOfProvider(recordId, context);
    return { ...(how === "delete" ? { connections: people } : {}), only_ways_to_sign_in: stranded };
  },
  isEnding: (changes) => changes["status"] === "disabled",
};
