/**
 * The client's wire types and our records are proved equal, not only assignable: assignability lets
 * extra fields through. generated-clients.full.test.ts compares them with the OpenAPI document.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type * as wire from '@whence/client/wire';
import type { AsnSearchAnswer } from '@whence/dataset/asn-search';
import type * as record from '@whence/dataset/record';
import type { Location } from '@whence/dataset/record';
import type { RecordSpan } from '@whence/dataset/versions/past';
import type { NetworkRouting } from '../../address/routing/routing.ts';
import type { AddressMembers } from '../../address/sections.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';
import type { TrialReport } from '../../email-checks/trial-report.ts';
import type { SendersAnswer } from '../../email-reports/judgement.ts';
import type { TlsReportsAnswer } from '../../email-reports/tls-reports-request.ts';
import type { ErrorName, errors } from '../../http/errors.ts';
import type { PrefixContent } from '../../lookup/prefix-content.ts';
import type { DatasetReport } from '../../versions/dataset-report.ts';
import type { AddressSection, LocalAddressSection, NetworkSection } from '../../vocabulary.ts';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Identical<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Intersections as one object: the generated types have none. */
type Plain<T> = T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;
type Equal<A, B> = Identical<Plain<A>, Plain<B>>;

/**
 * A row of the table may share the code of another: NOT_FOUND has one for addresses and one for
 * networks.
 */
type CodeOf<Name extends ErrorName> = (typeof errors)[Name] extends { code: infer Code }
  ? Code
  : Name;
type ServerErrorCode = { [Name in ErrorName]: CodeOf<Name> }[ErrorName];

const proofs: true[] = [
  true satisfies Equal<wire.ErrorCode, ServerErrorCode>,
  true satisfies Equal<wire.IpRecord, record.IpRecord>,
  true satisfies Equal<wire.AsnRecord, record.AsnRecord>,
  true satisfies Equal<wire.Detection, record.Detection>,
  true satisfies Equal<wire.Threat, record.Threat>,
  true satisfies Equal<wire.Evidence, record.Evidence>,
  true satisfies Equal<Omit<wire.RecordSpan, 'record'>, Mutable<Omit<RecordSpan, 'record'>>>,
  true satisfies Equal<wire.PrefixContent, PrefixContent>,
  true satisfies Equal<wire.AddressMembers, AddressMembers>,
  true satisfies Equal<wire.Location, Location>,
  true satisfies Equal<wire.NetworkRouting, NetworkRouting>,
  true satisfies Equal<wire.NetworkSection, NetworkSection>,
  true satisfies Equal<wire.AddressSection, AddressSection>,
  true satisfies Equal<wire.LocalAddressSection, LocalAddressSection>,
  true satisfies Equal<wire.AsnSearchAnswer, AsnSearchAnswer>,
  true satisfies Equal<wire.EmailReport, EmailAnswer>,
  true satisfies Equal<wire.EmailTrial, Mutable<TrialReport>>,
  true satisfies Equal<wire.Senders, Mutable<SendersAnswer>>,
  true satisfies Equal<wire.TlsReports, TlsReportsAnswer>,
  true satisfies Equal<wire.DatasetReport, DatasetReport>,
];

test('wire types: the client and the dataset mean the same', () =>
  assert.ok(proofs.every(Boolean)));
