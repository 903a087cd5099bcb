/** What of the environment, besides our own variables, changes whom we talk to and whom we trust. Never a password. */
export function environmentLines(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const value = (name: string) => env[name.toLowerCase()] ?? env[name] ?? '';
  const proxy = value('HTTPS_PROXY');
  const noProxy = value('NO_PROXY');
  const authorities = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...(proxy === '' ? [] : [`HTTPS_PROXY: https requests go through ${withoutCredentials(proxy)}`]),
    ...(proxy === '' || noProxy === '' ? [] : [`NO_PROXY: except those to ${noProxy}`]),
    ...(authorities === ''
      ? []
      : [`NODE_EXTRA_CA_CERTS: trusted, too, are the authorities in ${authorities}`]),
  ];
}

function withoutCredentials(proxy: string): string {
  return proxy.replace(/^([a-z]+:\/\/)?.*@/i, (_, scheme: string | undefined) => `${scheme ?? ''}***@`);
}
