/**
 * Why something is not read as an aggregate or TLS report. Codes are data; the sentence is made
 * here once, for people.
 */

export const NOT_READ = {
  not_a_report: 'no report, archive or message',
  no_report: 'no aggregate or TLS report in it',
  failure_report: 'a failure report, which is not read',
  empty: 'empty',
  too_large: 'more than 10 MiB',
  unpacked_too_large: 'more than 200 MiB, or more than 200 times its size, when unpacked',
  nested_too_deep: 'an archive in an archive in an archive',
  too_many_files: 'more than 1,000 files',
  unreadable_file: 'the file cannot be opened, or not be read to its end',
  broken_archive: 'a damaged archive',
  broken_message: 'a message that cannot be read',
  doctype: 'a document type declaration, which is not read',
  several_reports: 'several reports in one XML document: import each as a file of its own',
  broken_xml: 'XML that is not complete or not well-formed',
  too_many_rows: 'more than 200,000 rows',
  bad_period: 'a period without a beginning or an end',
  bad_domain: 'a policy without a domain',
  bad_address: 'a row without an IP address',
  bad_count: 'a row whose number of messages is not from 0 to 1,000,000,000',
  nested_json: 'JSON that is nested more than 20 deep',
  broken_json: 'JSON that is not complete or not well-formed',
  large_tls_report: 'a TLS report of more than 4 MiB',
  no_policies: 'a TLS report without policies',
  too_many_policies: 'a TLS report with more than 1,000 policies or 10,000 failures',
  several_domains: 'a TLS report with the policies of several domains',
  bad_policy_type: 'a TLS report with a policy of an unknown type',
  bad_sessions: 'a number of sessions that is not from 0 to 1,000,000,000',
  too_old: 'older than reports are kept (WHENCE_REPORTS_KEEP)',
  domain_not_allowed: 'a domain that the key or account may not use',
  too_many_unproven: 'not proven, and a thousand of its domain were imported in a day',
  too_many_tls:
    'of a smaller receiver, and TLS reports of its domain have 5,000 results of that day',
  took_too_long: 'it takes too long or too much memory to read',
} as const;

export type NotReadCode = keyof typeof NOT_READ;

export class Unreadable extends Error {
  override name = 'Unreadable';
  readonly code: NotReadCode;

  constructor(code: NotReadCode) {
    super(NOT_READ[code]);
    this.code = code;
  }
}
