/** Configuration files as people have them, by program: with comments where the program takes them. */
export const configurations: Readonly<Record<string, readonly string[]>> = {
  claude: [
    '{\n  "numStartups": 12,\n  "mcpServers": {\n    "other": {\n      "type": "stdio",\n      "command": "x"\n    }\n  },\n  "projects": {\n    "/p": { "mcpServers": {} }\n  }\n}',
    '{"numStartups":1}',
    '{}\n',
  ],
  codex: [
    '# my Codex\nmodel = "m" # best\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs"] # [mcp_servers.no]\n\n[mcp_servers.docs.env]\nTOKEN = "t"\n\n[projects."/p"]\ntrust_level = "trusted"\n# the end\n',
    'model = "m"',
  ],
  'claude-desktop': ['{\n    "globalShortcut": "",\n    "mcpServers": {}\n}\n'],
  cursor: ['{\n\t"mcpServers": {\n\t\t"a": { "url": "https://a.example" }\n\t}\n}\n'],
  vscode: [
    '{\n  // Servers of mine\n  "inputs": [],\n  "servers": {\n    "a": { "type": "http", "url": "https://a.example" }, // keep\n  },\n}\n',
  ],
  gemini: ['{\n  "theme": "Default", /* dark */\n  "mcpServers": { "a": { "command": "x" } }\n}\n'],
  opencode: ['{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {}\n}\n', '// empty\n{\n}\n'],
  zed: [
    '// Zed settings\n//\n// see the documentation\n{\n  "vim_mode": true,\n  "languages": {\n    "C": { "tab_size": 8 }, // wide\n  },\n}\n',
  ],
  windsurf: ['{"mcpServers": {"a": {"command": "x", "args": []}}}'],
  git: [
    '# mine\n[user]\n\tname = A B ; me\n\temail = a@example.com\n[credential]\n\thelper = cache --timeout=900\n[url "git@example.com:"]\n\tinsteadOf = https://example.com/\n',
    '[core]\n    editor = vi',
  ],
  kubectl: [
    'apiVersion: v1\nclusters:\n- cluster:\n    server: https://k.example:6443\n  name: k\ncontexts:\n- context:\n    cluster: k\n    user: me\n  name: k\ncurrent-context: k\nkind: Config\npreferences: {}\nusers:\n- name: me # the only one\n  user:\n    client-certificate-data: QQ==\n    client-key-data: QQ==\n',
    'apiVersion: v1\nkind: Config\nusers: []\nclusters: []\n',
    'apiVersion: v1\nkind: Config\nusers:\n  - name: a\n    user: {token: x}\n\n# more\ncontexts: null\n',
  ],
  bazel: ['# flags\nbuild --jobs=2\ncommon --credential_helper=other.example=/x # theirs\n', 'build -c opt'],
  go: ['GOFLAGS=-mod=mod\nGOAUTH=netrc; git /home/a\nGOPROXY=direct\n', '# by go env -w\nGONOSUMDB=a\n'],
};
