import assert from 'node:assert/strict';
import test from 'node:test';
import { nameSignals } from './name-signals.ts';

for (const [behaviour, name, has, lacks] of [
  ['a word of a class', 'Orbital Connect LLC', ['word: access', '"llc"'], ['words: access']],
  ['two words of a class', 'Rural Telefon AS', ['word: access', 'words: access'], []],
  ['words of other languages', 'Gorodskie Seti OOO', ['word: access'], []],
  [
    'letters with accents',
    'Conexão Digital Ltda',
    ['word: access', 'word: software', '"ltda"'],
    [],
  ],
  [
    'endings and beginnings of words',
    'Vimitel Datasphere',
    ['-tel', 'data-', 'word: data'],
    ['tel-', '-data'],
  ],
  ['an ending is not the whole word', 'Net Ltd', ['word: net', '"net"'], ['-net', 'net-']],
  [
    'the internet is not a word that ends in net',
    'Acme Internet GmbH',
    ['word: internet'],
    ['word: net'],
  ],
  ['a domain', 'wyoming.com', ['domain: com'], []],
  ['the name of a person', 'Jane Roe', ['person', 'no company form', 'no known word'], []],
  ['a company is not a person', 'Jane Roe GmbH', [], ['person', 'no company form']],
  ['a person who trades under a name', 'Jane Roe trading as Example', ['trading as'], []],
  ['an empty name', '', ['no known word', 'no company form'], ['person']],
] as const)
  test(`name signals: ${behaviour}`, () => {
    const signals = nameSignals(name);
    for (const signal of has)
      assert.ok(signals.has(signal), `${signal} in ${[...signals].join('; ')}`);
    for (const signal of lacks)
      assert.ok(!signals.has(signal), `no ${signal} in ${[...signals].join('; ')}`);
  });
