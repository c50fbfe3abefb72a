// Sign-in with OpenID Connect: the code flow with PKCE, state and nonce. The provider's metadata is
// read at the first sign-in, and again after a failure.
import * as oidc from 'openid-client';
import type { Role } from '../vocabulary.ts';

export type ProviderSettings = {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For the button: "Sign in with …". */
  readonly label: string;
  /** Role of people who sign in for the first time. */
  readonly role: Role;
};

/** What a browser keeps between leaving for the provider and coming back. */
export type Departure = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type Identity = {
  /** Issuer and subject: what stays the same of a person. */
  readonly subject: string;
  /** Names for a new account, the most suitable first. */
  readonly names: readonly string[];
};

const TIMEOUT_SECONDS = 10;

/**
 * Names for a new account, best first. An email address only if the provider has verified it (OIDC
 * Core §5.1).
 */
function namesOf(claims: Readonly<Record<string, unknown>>): string[] {
  const { preferred_username, email, email_verified, name, sub } = claims;
  const unverified =
    typeof email === 'string' && email_verified !== true ? email.trim().toLowerCase() : undefined;
  return [preferred_username, email, name, sub]
    .filter((text): text is string => typeof text === 'string' && text !== '')
    .filter((text) => text.trim().toLowerCase() !== unverified || text === sub);
}

export class IdentityProvider {
  readonly settings: ProviderSettings;
  #discovered: Promise<oidc.Configuration> | undefined;

  constructor(settings: ProviderSettings) {
    this.settings = settings;
  }

  /** Where the browser goes, and what it must bring back. */
  async depart(redirectUri: string): Promise<{ url: URL; departure: Departure }> {
    const configuration = await this.#discover();
    const departure = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: departure.state,
      nonce: departure.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(departure.verifier),
      code_challenge_method: 'S256',
    });
    return { url, departure };
  }

  /**
   * Throws where the answer of the provider does not hold. `answer` is the address that the browser
   * came back to.
   */
  async arrive(answer: URL, { state, nonce, verifier }: Departure): Promise<Identity> {
    const tokens = await oidc.authorizationCodeGrant(await this.#discover(), answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider sent no ID token');
    return { subject: `${claims.iss} ${claims.sub}`, names: namesOf(claims) };
  }

  #discover(): Promise<oidc.Configuration> {
    this.#discovered ??= this.#readConfiguration().catch((error) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  #readConfiguration(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const execute = [oidc.enableNonRepudiationChecks];
    // Only for a provider on this machine: the settings allow no other without TLS.
    if (issuer.protocol === 'http:') execute.push(oidc.allowInsecureRequests);
    return oidc.discovery(issuer, clientId, clientSecret, undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  }
}
