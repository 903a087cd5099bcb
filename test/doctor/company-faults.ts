import type { FindingId } from '../../src/doctor/catalogue/catalogue.js';

/** What each fault is found as where there is a login by a company's provider. */
export const foundOfCompany: Readonly<Record<string, FindingId>> = {
  'id-jag-not-listed': 'id-jag-not-listed',
  'company-no-exchange': 'provider-exchanges-nothing',
  'company-slow': 'provider-unreachable',
};
