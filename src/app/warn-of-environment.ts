/** What is set for all of Node.js, and not what a person may think that it is here. */
export function warnOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  show: (line: string) => void,
): void {
  if ((env['NODE_DEBUG'] ?? '') !== '') {
    show('postern: NODE_DEBUG is set, with which Node.js prints what is sent and received, tokens among it.');
  }
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    show('postern: NODE_TLS_REJECT_UNAUTHORIZED=0 is set; certificates are checked all the same.');
  }
}
