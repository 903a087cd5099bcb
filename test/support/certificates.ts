import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary.js';

const run = promisify(execFile);

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority of our own, made with `openssl` in a temporary folder. */
export interface Authority extends AsyncDisposable {
  /** PEM file of the authority's certificate. */
  readonly caFile: string;
  /** A certificate for `names` (`DNS:…`, `IP:…`), valid for `days`, which may be negative. */
  issue(names: string, days?: number): Promise<Certificate>;
  /** A certificate for `names` that nobody signed but itself. */
  selfSigned(names: string): Promise<Certificate>;
}

/** Those of this process that no test has open: to make one, and its certificates, takes a while. */
const free: Authority[] = [];

/** An authority that no other test has open. Certificates for the same names are the same. */
export async function startAuthority(): Promise<Authority> {
  return free.pop() ?? (await makeAuthority());
}

async function makeAuthority(): Promise<Authority> {
  const folder = await temporaryFolder();
  process.on('exit', () => rmSync(folder.path, { recursive: true, force: true }));
  const file = (name: string): string => join(folder.path, name);
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder.path });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const read = async (name: string): Promise<Certificate> => ({
    cert: await readFile(file(`${name}.pem`), 'utf8'),
    key: await readFile(file(`${name}.key`), 'utf8'),
    certFile: file(`${name}.pem`),
    keyFile: file(`${name}.key`),
  });
  const own = ['req', '-x509', ...newKey, '-days', '2'];
  await openssl(...own, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
  let count = 0;
  const issued = new Map<string, Promise<Certificate>>();
  const issue = async (names: string, days: number): Promise<Certificate> => {
    count += 1;
    const name = `leaf${count}`;
    await writeFile(file(`${name}.ext`), `subjectAltName=${names}\n`);
    await openssl('req', '-new', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=leaf');
    const signed = ['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    await openssl(...signed, '-days', String(days), '-extfile', `${name}.ext`, '-out', `${name}.pem`);
    return read(name);
  };
  const authority: Authority = {
    caFile: file('ca.pem'),
    issue: (names, days = 2) => {
      const known = issued.get(`${names} ${days}`) ?? issue(names, days);
      issued.set(`${names} ${days}`, known);
      return known;
    },
    selfSigned: async (names) => {
      count += 1;
      const name = `self${count}`;
      const names509 = ['-subj', '/CN=self', '-addext', `subjectAltName=${names}`];
      await openssl(...own, '-keyout', `${name}.key`, '-out', `${name}.pem`, ...names509);
      return read(name);
    },
    [Symbol.asyncDispose]: async () => void free.push(authority),
  };
  return authority;
}
