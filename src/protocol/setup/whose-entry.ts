import { sameServer } from './same-server.js';

/** Is an entry, as it stands in a file, one of ours for this server? */
export function isOurs(raw: string, server: string): boolean {
  const plain = raw.replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  return /postern/.test(plain) && /\b(?:bridge|credential)\b/.test(plain) && holdsWord(plain, server);
}

/** Does an entry name this server's address, however it gets there? */
export function addressIn(raw: string, url: string): boolean {
  const addresses = raw.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'\\]+/gi) ?? [];
  return addresses.some((address) => sameServer(address, url));
}

function holdsWord(text: string, word: string): boolean {
  return text.split(/[\s"',;[\]]+/).includes(word);
}
