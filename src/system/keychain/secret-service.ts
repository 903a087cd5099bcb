import type { MethodCall } from './bus-encode.js';

const destination = 'org.freedesktop.secrets';
const root = '/org/freedesktop/secrets';

/** The calls of the Secret Service (freedesktop.org's Secret Storage specification) that are made here. */
export const secretService = {
  /** → object path of the collection; `/` when there is none. */
  readDefaultAlias: (): MethodCall => ({
    destination,
    path: root,
    interface: 'org.freedesktop.Secret.Service',
    member: 'ReadAlias',
    arguments: [{ type: 's', text: 'default' }],
  }),
  /** → variant with a boolean. */
  isDefaultLocked: (): MethodCall => ({
    destination,
    path: `${root}/aliases/default`,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    arguments: [
      { type: 's', text: 'org.freedesktop.Secret.Collection' },
      { type: 's', text: 'Locked' },
    ],
  }),
  /** → variant, object path of the session. Secrets pass as they are, on a bus that only this user can read. */
  openPlainSession: (): MethodCall => ({
    destination,
    path: root,
    interface: 'org.freedesktop.Secret.Service',
    member: 'OpenSession',
    arguments: [
      { type: 's', text: 'plain' },
      { type: 'v', text: '' },
    ],
  }),
  /** → object paths of the items that are open, and of those that are locked. */
  searchItems: (attributes: Readonly<Record<string, string>>): MethodCall => ({
    destination,
    path: root,
    interface: 'org.freedesktop.Secret.Service',
    member: 'SearchItems',
    arguments: [{ type: 'a{ss}', entries: attributes }],
  }),
  /** → structure of session, parameters, secret, content type. */
  getSecret: (item: string, session: string): MethodCall => ({
    destination,
    path: item,
    interface: 'org.freedesktop.Secret.Item',
    member: 'GetSecret',
    arguments: [{ type: 'o', text: session }],
  }),
};
