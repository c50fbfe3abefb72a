/**
 * A provider of OpenID Connect on loopback: everyone who comes is `person`, without being asked.
 */
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const CLIENT_ID = 'whence';
export const CLIENT_SECRET = 'the secret of the client';
const KEY_ID = 'key 1';

type Grant = { readonly challenge: string; readonly nonce: string; readonly redirectUri: string };
type Claims = Record<string, unknown>;

export class OpenIdProvider {
  /** Claims of the person who signs in next. */
  person: Claims = { sub: 'ada', preferred_username: 'ada' };
  /** Spoils the claims of the next ID tokens, or their signature. */
  spoil: (claims: Claims) => Claims = (claims) => claims;
  hasWrongSignature = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #others = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #grants = new Map<string, Grant>();

  static async start(): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') json(200, this.#metadata());
    else if (url.pathname === '/keys') json(200, { keys: [this.#publicKey()] });
    else if (url.pathname === '/authorize')
      response.writeHead(302, { Location: this.#authorize(url) }).end();
    else if (url.pathname === '/token') {
      const tokens = this.#exchange(
        new URLSearchParams(await text(request)),
        request.headers.authorization ?? '',
      );
      json(tokens === undefined ? 400 : 200, tokens ?? { error: 'invalid_grant' });
    } else json(404, {});
  }

  #metadata(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    };
  }

  #publicKey(): object {
    return {
      ...this.#keys.publicKey.export({ format: 'jwk' }),
      kid: KEY_ID,
      alg: 'RS256',
      use: 'sig',
    };
  }

  #authorize({ searchParams }: URL): string {
    const of = (name: string) => searchParams.get(name) ?? '';
    const code = randomUUID();
    this.#grants.set(code, {
      challenge: of('code_challenge'),
      nonce: of('nonce'),
      redirectUri: of('redirect_uri'),
    });
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', of('state'));
    return back.href;
  }

  /**
   * Undefined unless client, code, verifier and address are those of the departure; a code works
   * once.
   */
  #exchange(form: URLSearchParams, authorization: string): object | undefined {
    const grant = this.#grants.get(form.get('code') ?? '');
    this.#grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient =
      form.get('client_secret') === CLIENT_SECRET || authorization.startsWith('Basic ');
    if (
      grant?.challenge !== challenge ||
      grant.redirectUri !== form.get('redirect_uri') ||
      !isClient
    )
      return undefined;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 60,
      nonce: grant.nonce,
      ...this.person,
    };
    return {
      access_token: randomUUID(),
      token_type: 'Bearer',
      id_token: this.#sign(this.spoil(claims)),
    };
  }

  #sign(claims: Claims): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${encode({ alg: 'RS256', kid: KEY_ID })}.${encode(claims)}`;
    const { privateKey } = this.hasWrongSignature ? this.#others : this.#keys;
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`;
  }
}
