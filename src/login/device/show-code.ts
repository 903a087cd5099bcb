import { columnsOf, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { saysYes } from '../../core/text/says-yes.js';
import type { DeviceAuthorization } from '../../oauth/device.js';
import type { BegunLogin } from '../ports.js';
import { deviceSiteRefused } from './failures.js';

/**
 * The other site that a code is to be typed on; undefined where it is the issuer's own: its origin, or the same port of
 * a host below its host. A parent domain is another site, since it may be shared (tenants of one hoster), and no list
 * of public suffixes is at hand to tell.
 */
export function otherSiteOf(issuer: string, device: DeviceAuthorization): string | undefined {
  const { verificationUri, verificationUriComplete = verificationUri } = device;
  const other = [verificationUri, verificationUriComplete].find((address) => !isOnSiteOf(issuer, address));
  return other === undefined ? undefined : new URL(other).host;
}

function isOnSiteOf(issuer: string, address: string): boolean {
  const [own, other] = [new URL(issuer), new URL(address)];
  if (own.origin === other.origin) return true;
  return other.protocol === own.protocol && other.port === own.port && other.hostname.endsWith(`.${own.hostname}`);
}

/**
 * The code of another person's login looks the same, and typing it lets them in. So the user has to confirm any site but the
 * authorization server's own; if no user can be asked, an earlier login there is enough.
 * @throws Failure `device_site_refused`; the signal's reason
 */
export async function checkSite(
  { ports, discovery, isNew, meant }: BegunLogin,
  device: DeviceAuthorization,
  signal: AbortSignal,
): Promise<void> {
  const { terminal } = ports;
  const { issuer } = discovery.authorizationServer;
  const site = otherSiteOf(issuer, device);
  if (site === undefined || (!terminal.interactive && !isNew.issuer)) return;
  const asked = terminal.interactive;
  if (asked) {
    terminal.tell(
      `The authorization server ${printable(issuer)} has its codes typed on another site, ${printable(site)}.`,
    );
    const question = `Show a code for ${printable(site, 200)}? Only if you know that it belongs there.`;
    if (await saysYes(terminal, question, signal)) return;
  }
  throw deviceSiteRefused(issuer, site, { login: meant, asked });
}

const maxShown = 2048;

/**
 * What the person is shown of a code (RFC 8628 section 3.3): where to type it, and the address that has it in it
 * already; at a terminal the code large, too, and an address as a picture, for the camera of a phone.
 */
export async function deviceLines(
  device: DeviceAuthorization,
  about: { readonly timeoutMs: number; readonly look?: Look | undefined },
): Promise<readonly string[]> {
  const { look } = about;
  const say = (text: string) => (look === undefined ? [text] : wrapped(text, look.width));
  const { verificationUri, verificationUriComplete, userCode, lifetimeMs } = device;
  const seconds = Math.floor(Math.min(lifetimeMs, about.timeoutMs) / 1000);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.floor(seconds / 60), 'minute'];
  const complete =
    verificationUriComplete === undefined || verificationUriComplete === verificationUri
      ? []
      : [
          ...say('This address has the code in it; check that the page shows the same one:'),
          `  ${printable(verificationUriComplete, maxShown)}`,
        ];
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(verificationUri).hostname); // no phone gets there
  const picture =
    look === undefined || isHere ? [] : await qrCodeLines(verificationUriComplete ?? verificationUri, look);
  const large = `    ${[...printable(userCode, 64)].join('  ')}`; // to be read from afar and typed one by one
  const which = isHere ? 'on this computer' : 'on any computer or phone';
  return [
    ...say(`Open this address in a browser, ${which}:`),
    `  ${printable(verificationUri, maxShown)}`,
    `and type this code there:  ${printable(userCode, 64)}`,
    ...(look === undefined || columnsOf(large) > look.width ? [] : ['', toned(look, 'strong', large), '']),
    ...complete,
    ...(picture.length === 0 ? [] : ['Or let the camera of a phone read it:', '', ...picture, '']),
    `The code is good for ${counted(count, unit)}.`,
  ];
}

export function deviceEvent({ userCode, verificationUri, verificationUriComplete }: DeviceAuthorization) {
  return {
    event: 'device_code',
    userCode,
    verificationUri,
    ...(verificationUriComplete === undefined ? {} : { verificationUriComplete }),
  };
}

/** Characters of an address that a phone's camera still reads off a terminal. */
const maxPictured = 300;

/** Of light modules around the code: four are asked for, two are read by every camera, and the terminal has its own edge. */
const border = 2;

/**
 * An address as a QR code (ISO/IEC 18004), two rows of modules in a line; nothing where it does not fit into the
 * terminal. Black on white with colours; without them, of light blocks, for a dark terminal. Loads its library.
 */
export async function qrCodeLines(address: string, look: Look): Promise<readonly string[]> {
  if (address.length > maxPictured || printable(address, maxPictured) !== address) return [];
  const { encode } = await import('uqr');
  const { data: rows, size } = encode(address, { ecc: 'L', border });
  if (size > look.width) return [];
  const isInk = (row: number, column: number) => (rows[row]?.[column] ?? false) === look.color;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_, column) => {
      const [upper, lower] = [isInk(2 * line, column), 2 * line + 1 < size && isInk(2 * line + 1, column)];
      return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }).join(''),
  );
  return lines.map((line) => toned(look, 'paper', line));
}
