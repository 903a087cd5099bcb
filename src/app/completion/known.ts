import type { LoginRecord, ProviderRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import type { ToolList, ToolParameter } from '../../stores/ports.js';
import type { Known, Offer } from './complete.js';

/** Methods that `call` takes for a tool's name. */
const methods: readonly Offer[] = [
  ['tools/list', 'the tools'],
  ['resources/list', 'the resources'],
  ['resources/read', 'one resource'],
  ['resources/templates/list', 'the templates of resources'],
  ['prompts/list', 'the prompts'],
  ['prompts/get', 'one prompt'],
];

/**
 * What the files of this machine hold of logins and their tools. A server's text is made printable; a name of a tool that
 * cannot be printed as it is is not offered.
 */
export function knownFrom(
  logins: readonly LoginRecord[],
  toolsOf: (login: LoginRecord) => ToolList | undefined,
  providers: readonly Pick<ProviderRecord, 'issuer'>[] = [],
): Known {
  return (what, [word, tool], typed) => {
    const named = logins.filter(({ name, server }) => word === name || word === server);
    const tools = () => named.flatMap((login) => toolsOf(login)?.tools ?? []).filter(({ name }) => isPlain(name));
    switch (what) {
      case 'login':
        return [
          ...logins.flatMap(({ name, server }): readonly Offer[] =>
            name === undefined ? [] : [[name, printable(server, 100)]],
          ),
          ...logins.map(({ server, name }): Offer => [server, name ?? 'a login without a name']),
        ];
      case 'account':
        return (word === undefined ? logins : named)
          .filter(({ account }) => isOneLine(account))
          .map(({ account, server }) => [account, printable(server, 100)]);
      case 'issuer':
        return issuersOf(logins);
      case 'provider':
        return issuersOf(providers);
      case 'tool':
        return [...tools().map(({ name, description }): Offer => [name, lineOf(description)]), ...methods];
      case 'parameter':
        return parameterOffers(tools().find(({ name }) => name === tool)?.parameters ?? [], typed);
    }
  };
}

/** `name=` of each parameter; behind one of them, its values. */
function parameterOffers(parameters: readonly ToolParameter[], typed: string): readonly Offer[] {
  const plain = parameters.filter(({ name }) => isPlain(name));
  const named = plain.find(({ name }) => typed.startsWith(`${name}=`));
  if (named !== undefined) return valuesOf(named).map((value) => [`${named.name}=${value}`, '']);
  return plain.map(({ name, description }) => [`${name}=`, lineOf(description)]);
}

function issuersOf(records: readonly { readonly issuer: string }[]): readonly Offer[] {
  return records.filter(({ issuer }) => isPlain(issuer)).map(({ issuer }) => [issuer, '']);
}

function valuesOf({ types, choices }: ToolParameter): readonly string[] {
  if (choices !== undefined) return choices.filter((one) => typeof one === 'string').filter(isPlain);
  return types.includes('boolean') ? ['true', 'false'] : [];
}

/** One word that reads neither as an option nor as a line for the shell's script. */
function isPlain(text: string): boolean {
  return isOneLine(text) && !/\s/.test(text);
}

function isOneLine(text: string): boolean {
  return text !== '' && printable(text, 200) === text && !/^[-:\s]/.test(text);
}

function lineOf(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '', 100);
}
