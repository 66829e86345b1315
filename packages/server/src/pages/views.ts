/** What each page is given. A page is a function from one of these to a document; it reads nothing else. */

/** Hidden fields that go back with a form exactly as they came. */
export interface FormSecrets {
  /** Field `csrf`. */
  readonly csrf: string;
  /** Field `request`: the sealed authorization request; null: none is under way. */
  readonly request: string | null;
}

/** The client as an owner sees it. */
export interface ClientCard {
  readonly name: string;
  /** Path of the logo on this server; null: an initial in a tile. */
  readonly logo: string | null;
  /** The real host that gets the answer, e.g. `app.example.com`, `127.0.0.1` (this device) or `com.example.app:`. */
  readonly host: string;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
}

export interface SignedInAs {
  readonly name: string;
  readonly username: string;
}

export interface SignInView {
  readonly form: FormSecrets;
  /** Who asks, where a request is under way. */
  readonly client: ClientCard | null;
  /** What was typed, or the request's login_hint. */
  readonly username: string;
  readonly problem:
    | null
    | { readonly kind: "wrong" }
    | { readonly kind: "missing" }
    /** Minutes until it may be tried again. */
    | { readonly kind: "throttled"; readonly minutes: number }
    /** The form had been open for too long, or cookies are off. */
    | { readonly kind: "stale" };
  /** Why a person who is signed in is asked again (prompt=login, max_age). */
  readonly again: SignedInAs | null;
}

export interface ScopeChoice {
  readonly name: string;
  readonly description: string;
  /** The API's name; null: this server itself. */
  readonly api: string | null;
  readonly required: boolean;
  readonly sensitive: boolean;
  readonly checked: boolean;
  /** The owner had granted it before: shown apart, what is new stands out. */
  readonly granted: boolean;
}

export interface DurationChoice {
  /** Seconds, `forever` or `once`. */
  readonly value: string;
  readonly selected: boolean;
}

export interface ConsentView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly person: SignedInAs;
  readonly scopes: readonly ScopeChoice[];
  readonly durations: readonly DurationChoice[];
  /** True: shown because the client or `prompt=consent` wants it although all of it is granted already. */
  readonly allGranted: boolean;
  /** What the owner may try next after a wrong answer (an offered duration was changed in the form). */
  readonly problem:
    | null
    | { readonly kind: "stale" }
    | { readonly kind: "bad_duration" }
    | { readonly kind: "nothing" };
}

export interface AppEntry {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  readonly scopes: readonly {
    readonly name: string;
    readonly description: string;
    /** Epoch milliseconds; null: until revoked. */
    readonly expiresAt: number | null;
    /** May be taken away alone. */
    readonly removable: boolean;
  }[];
  readonly grantedAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** A grant of it ended because a spent token or code came back: when. */
  readonly theftAt: number | null;
}

export interface AppsView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly apps: readonly AppEntry[];
  /** Now, epoch milliseconds: relative times are made from it. */
  readonly now: number;
  /** What was just done. */
  readonly notice:
    | null
    | {
        readonly kind: "revoked";
        readonly app: string;
        /** Minutes in which an access token that is out may still be used; 0: none is out. */
        readonly minutes: number;
      }
    | { readonly kind: "narrowed"; readonly app: string; readonly minutes: number }
    | { readonly kind: "gone" };
}

export interface SignOutView {
  readonly csrf: string;
  readonly person: SignedInAs;
}

/** After signing out. */
export interface SignedOutView {
  /** Path, below the issuer's, where one signs in again. */
  readonly signIn: string;
}

/** An authorization response on its way to the client by POST. */
export interface FormPostView {
  /** The redirect_uri. */
  readonly action: string;
  /** `code` or `error`, `state`, `iss`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page that tells what went wrong and how to go on. */
export interface ProblemView {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** For the developer of the client: the condition's name, e.g. `redirect_uri_mismatch`; null: nothing to look up. */
  readonly condition: string | null;
  /** For the operator's log search. */
  readonly requestId: string;
  readonly door: { readonly href: string; readonly label: string } | null;
}

/** `/errors/{condition}`: for developers and operators. */
export interface ConditionView {
  readonly name: string;
  readonly error: string;
  readonly status: number;
  readonly section: string;
  readonly description: string;
  /** What went wrong and how to mend it, in paragraphs. */
  readonly help: readonly string[];
  readonly others: readonly string[];
}
