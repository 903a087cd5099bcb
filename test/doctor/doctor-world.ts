import { readTopic } from '../../src/app/help/topics.js';
import { askServer } from '../../src/call/create-conversation.js';
import { plainLook } from '../../src/core/text/look.js';
import { addressExaminer } from '../../src/doctor/address-examiner.js';
import { type Examined, examineServer } from '../../src/doctor/examine-server.js';
import type { ExamineWorld, ServerTarget, WantedLogin } from '../../src/doctor/run.js';
import { logInForRun } from '../../src/login/login-for-run.js';
import type { LoginWorld } from '../../src/login/logins.js';
import type { Scene } from '../support/flows/scene.js';
import { defaultLimits } from '../support/product.js';

/** What `doctor` is given in a test. */
export function doctorWorld(scene: Scene): ExamineWorld {
  const examineAddresses = addressExaminer({ userAgent: 'test', env: {} });
  return {
    ...scene.ports,
    clientMetadataUrl: undefined,
    examineAddresses,
    configuration: async () => ({}),
    findingsPage: async () => readTopic('findings').text,
    askServer: (asked, ask) => askServer(scene.ports, asked, ask),
    logInForRun: (wanted) => logInForRun(loginWorld(scene), wanted),
  };
}

function loginWorld({ ports }: Scene): LoginWorld {
  return {
    ...ports,
    clientMetadataUrl: undefined,
    nonInteractive: false,
    stderrIsTerminal: true,
    callerName: () => 'a test',
    availability: () => 'desktop',
    configuration: async () => ({ clients: [], clientCertificates: [], limits: defaultLimits }),
    env: {},
    files: noFiles,
    tell: () => undefined,
    tellLook: plainLook,
    signal: new AbortController().signal,
  };
}

const unused = () => {
  throw new Error('no file is read or written here');
};

const noFiles = {
  ...{ stdinIsTerminal: false, read: unused, isOpenToOthers: unused, stdin: unused, write: unused },
  ...{ writeNew: unused, writePrivate: unused, makeFolder: unused, tellReady: unused },
};

/** A login in the browser, as the server asks for it. */
export const inBrowser: WantedLogin = {
  browser: false,
  noBrowser: false,
  device: false,
  scope: [],
  timeoutMs: undefined,
};

interface Wanted {
  /** Undefined: none. */
  readonly login?: WantedLogin | undefined;
  readonly limitMs?: number;
  readonly configuration?: Awaited<ReturnType<ExamineWorld['configuration']>>;
}

/** Examines the sandbox, or another server, with all that a run can do where nothing else is said. */
export async function examineWhole(
  scene: Scene,
  {
    server = scene.sandbox.serverUrl,
    held,
    signal = new AbortController().signal,
    configuration = {},
    ...change
  }: Partial<ServerTarget> & Wanted = {},
): Promise<Examined> {
  const world = { ...doctorWorld(scene), configuration: async () => configuration };
  const wanted = { login: inBrowser, limitMs: 60_000, ...change };
  return await examineServer(world, { server, held, headers: [], signal }, wanted);
}

/** A line for each finding. */
export function evidenceOf({ report }: Examined): string {
  return report.findings.map(({ id, level, evidence }) => `${id ?? level}: ${evidence}`).join('\n');
}

/** What is above a note. */
export function troublesIn({ report }: Examined): readonly (string | undefined)[] {
  return report.findings.filter(({ level }) => level === 'failure' || level === 'warning').map(({ id }) => id);
}
