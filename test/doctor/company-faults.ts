import type { FindingId } from '../../src/doctor/findings.js';

/** What each fault is found as where there is a login by a company's provider. */
export const foundOfCompany: Readonly<Record<string, FindingId>> = {
  'id-jag-not-listed': 'id-jag-not-listed',
  'company-no-exchange': 'provider-exchanges-nothing',
  'company-slow': 'provider-unreachable',
};

/** What each fault is found as where the provider of such a login is asked to vouch once more (`--login`). */
export const foundByExchange: Readonly<Record<string, FindingId>> = {
  'company-other-audience': 'id-jag-unusable',
  'company-two-audiences': 'id-jag-unusable',
  'company-other-resource': 'id-jag-unusable',
  'company-other-client': 'id-jag-unusable',
  'company-other-issuer': 'id-jag-unusable',
  'company-other-type': 'id-jag-unusable',
  'company-expired': 'id-jag-unusable',
  'company-untyped': 'id-jag-unusable',
  'company-unsigned': 'id-jag-unusable',
  'company-page': 'id-jag-unusable',
  'company-refused': 'provider-refused',
  'company-session-ended': 'provider-login-ended',
  'company-down': 'provider-failed',
  'id-jag-refused': 'id-jag-refused',
};
