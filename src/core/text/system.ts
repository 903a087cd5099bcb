/** Shells and paths differ on Windows. */
export const isWindows = process.platform === 'win32';

/** A path below a folder, with one kind of separator: the folder's own, else the system's. */
export function below(folder: string, name: string, windows = isWindows): string {
  const separator = windows && !/^[^\\]*\/[^\\]*$/.test(folder) ? '\\' : '/';
  const end = windows ? /[\\/]+$/ : /\/+$/;
  return `${folder.replace(end, '')}${separator}${name}`;
}

/** Whether it is a Windows path with a drive or server; `\folder` is relative to the current drive. */
export function isWholePath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(path);
}

/**
 * Escapes `text` for quotes in a batch file. cmd.exe reads such a file in the console's code page, which may lack letters of
 * the user's name: so the home folder is written as its variable.
 */
export function batchText(text: string, homedir: string): string {
  const isBelow = !isAscii(homedir) && text.toLowerCase().startsWith(`${homedir.toLowerCase()}\\`);
  const rest = isBelow ? text.slice(homedir.length) : text;
  const doubled = rest
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&')
    .replaceAll('%', '%%');
  return `${isBelow ? '%USERPROFILE%' : ''}${doubled}`;
}

/** The start of a batch file with other letters that remain. */
const utf8Line = '@chcp 65001 >nul';

/** The lines of a batch file, as cmd.exe reads them. */
export function batchFile(lines: readonly string[]): string {
  const [first = '', second = '', ...rest] = lines;
  return [first, second, ...(lines.every(isAscii) ? [] : [utf8Line]), ...rest, ''].join('\r\n');
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
