// The sentences of advice about DKIM.
import type { Finding } from '../findings/finding.ts';
import { type Domain, explanationsOf, firstThree, type Name } from '../findings/phrases.ts';
import type { Provider } from '../providers.ts';
import { explainMistakes, type PastedMistake } from '../records/pasted-text.ts';

type Places = { places: readonly SigningPlace[] };

/** Where a provider of the domain switches DKIM on. */
type SigningPlace = Pick<Provider, 'name' | 'setup' | 'normal'>;

/** `name` is that of the TXT record: `google._domainkey.example.com`. */
type NamedKey = { name: string; errors: readonly Finding[] };

type KeySize = { name: string; bits: number };

/** A part of `SENTENCES` (advice-text.ts). */
export const DKIM_SENTENCES = {
  dkim_publish: ({ domain, isDefaultMode, places }: Domain & Places & { isDefaultMode: boolean }) =>
    `No DKIM key was found under ${isDefaultMode ? 'any common selector; if you use another one, check again with its name' : 'the selectors given'}. ${explainSigning(domain, places)}`,
  dkim_revoked: ({ names, domain, places }: Domain & Places & { names: readonly string[] }) =>
    `Every DKIM key that was found is revoked (${firstThree(names)}). ${explainSigning(domain, places)}`,
  dkim_dangling: ({
    selectors,
    places,
  }: Places & { selectors: readonly { name: string; target: string }[] }) =>
    `No DKIM key was found, because ${firstThree(selectors.map(({ name, target }) => `${name} is an alias of ${target}, which has no key`))}. ${places.length > 0 ? explainSigning('', places) : 'Switch DKIM on at the provider that gave you the alias, so that it publishes the key.'}`,
  /** `provider` is that of the target, `''` if it is not known. */
  dkim_dangling_beside: ({
    name,
    target,
    provider,
    setup,
  }: {
    name: string;
    target: string;
    provider: string;
    setup: string;
  }) =>
    `${name} is an alias of ${target}, which has no key. ${setup === '' ? 'Remove it, or have its provider publish the key' : `If ${provider} sends for you, switch signing on: ${setup}`}.`,
  dkim_doubled: ({ domain, names }: Domain & { names: readonly string[] }) =>
    `The DKIM key is under a doubled name, ${firstThree(names)}, where no receiver looks: the DNS panel has added ${domain} once more. Enter the name without it.`,
  dkim_faults: ({ keys }: { keys: readonly NamedKey[] }) =>
    `Fix the DKIM keys: ${firstThree(keys.map(faultsOfKey))}.`,
  dkim_repair: (key: NamedKey & { mistakes: readonly PastedMistake[] }) =>
    `No receiver can use the DKIM key at ${faultsOfKey(key)}.${explainMistakes(key.mistakes)} Correct the record.`,
  dkim_at_apex: ({ domain }: Domain) =>
    `A DKIM key is published at ${domain} itself, where no receiver looks. Publish it at SELECTOR._domainkey.${domain}, with the selector that your mail server signs with, and remove it here.`,
  dkim_unusable_beside: (key: NamedKey) =>
    `The DKIM key at ${faultsOfKey(key)} cannot be used. Remove or correct it.`,
  dkim_short: ({ keys }: { keys: readonly KeySize[] }) =>
    `Replace the short DKIM key with one of 2048 bits: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_short_beside: ({ keys }: { keys: readonly KeySize[] }) =>
    `A short DKIM key beside a strong one can be broken and used to sign in your name. Replace or remove it: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_only_ed25519: () =>
    'Add an RSA key of 2048 bits beside Ed25519: not every receiver verifies Ed25519 (RFC 8463).',
  dkim_testing: ({ name }: Name) =>
    `Remove t=y from ${name}: it tells receivers that signatures are only being tested.`,
  dkim_long: ({ name, bits }: KeySize) =>
    `The key at ${name} has ${bits} bits; verifiers need only support 4096 (RFC 8301).`,
  dkim_padding: ({ name }: Name) =>
    `The key at ${name} lacks the = at the end of its base64; strict verifiers may refuse it. Add it.`,
  dkim_extra_txt: ({ name }: Name) =>
    `Remove the other TXT records at ${name}; verifiers may pick the wrong one (RFC 6376 section 3.6.2.2).`,
  dkim_wildcard: ({ domain }: Domain) =>
    `A wildcard under _domainkey.${domain} answers for every selector; publish keys under their own names.`,
};

function faultsOfKey({ name, errors }: NamedKey): string {
  return `${name} (${explanationsOf(errors)})`;
}

/** What a customer of a known provider does there, or what the owner of a mail server does. */
function explainSigning(domain: string, places: readonly SigningPlace[]): string {
  const there = places.map(
    ({ name, setup, normal }) => `at ${name} ${setup}${normal === '' ? '' : ` (${normal})`}`,
  );
  if (there.length > 0) return `Switch signing on: ${there.join('; ')}.`;
  return `Have your mail server sign with a 2048-bit RSA key, and publish the key as a TXT record at SELECTOR._domainkey.${domain}.`;
}

function sizeOfKey({ name, bits }: KeySize): string {
  return `${name} (${bits} bits)`;
}
