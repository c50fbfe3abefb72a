/** Verdicts on domains whose mail is known, each alone and beside forged mail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { SCRIPTED_DOMAINS } from '../../test/scripted-domains.ts';
import { FLOOD } from '../../test/scripted-streams.ts';
import { verdictOf } from '../../test/scripted-verdict.ts';

for (const domain of SCRIPTED_DOMAINS) {
  const { behaviour, answer, senders = [] } = domain;
  test(`scripted domain: ${behaviour}`, async () => {
    const verdict = await verdictOf(domain);
    const reasons = verdict.reasons.filter(({ weight }) => weight === answer);
    assert.equal(verdict.answer, answer, JSON.stringify(verdict, null, 1));
    assert.equal(verdict.record !== '', answer === 'yes');
    for (const sender of senders)
      assert.ok(
        reasons.some(({ service }) => service === sender),
        JSON.stringify(reasons),
      );
    for (const reason of reasons.filter(({ code }) => code === 'mail_refused'))
      assert.match(`${reason.last_failed}`, /^\d{4}-\d\d-\d\d$/);
    assert.equal((await verdictOf(domain, FLOOD)).answer, answer, 'beside forged mail');
  });
}
