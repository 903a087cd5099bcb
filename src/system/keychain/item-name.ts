/** Every item of this program has this service name; with its account it is what finds it. */
export const service = 'postern';

/** The attributes that the package gives to an item of the Secret Service. */
export function attributesOf(account: string): Readonly<Record<string, string>> {
  return { service, username: account };
}
