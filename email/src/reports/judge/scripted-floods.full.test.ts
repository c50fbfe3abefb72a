/** Verdicts on domains whose mail is known, beside forged mail from many addresses and accounts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { SCRIPTED_DOMAINS, usesAccounts } from '../../test/scripted-domains.ts';
import { floodFrom, OTHER_ACCOUNT } from '../../test/scripted-streams.ts';
import { verdictOf } from '../../test/scripted-verdict.ts';

const MANY = floodFrom(20_000);

for (const domain of SCRIPTED_DOMAINS.filter((_, i) => i % 8 === 0))
  test(`scripted domain beside many addresses: ${domain.behaviour}`, async () => {
    assert.equal((await verdictOf(domain, [MANY])).answer, domain.answer);
  });

for (const domain of SCRIPTED_DOMAINS.filter(usesAccounts)) {
  const { behaviour, answer, decisions = [] } = domain;
  test(`scripted domain beside another account: ${behaviour}`, async () => {
    const beside = (await verdictOf(domain, [OTHER_ACCOUNT])).answer;
    // It is someone else's or ours: only a person can say.
    assert.equal(beside, answer === 'no' ? 'no' : 'not_enough');
    const decided = [...decisions, ['sendgrid/u666.ct.sendgrid.net', 'not_ours']] as const;
    const again = await verdictOf({ ...domain, decisions: decided }, [OTHER_ACCOUNT]);
    assert.equal(again.answer, answer);
  });
}
