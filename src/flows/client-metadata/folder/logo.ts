/** The logo: a wall with battlements, and in it the small side gate that the program is named after, its door ajar. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" width="128" height="128" role="img" aria-label="postern">
  <rect width="128" height="128" rx="24" fill="#22303f"/>
  <path fill="#8b97a5" d="M18 104V36h16v12h14V36h32v12h14V36h16v68z"/>
  <path fill="#6d7988" d="M18 64h24v3H18zm68 0h24v3H86zM18 84h22v3H18zm70 0h22v3H88zM28 48h3v16h-3zm69 0h3v16h-3zM34 67h3v17h-3zm57 0h3v17h-3z"/>
  <path fill="#ffd77a" d="M46 104V78a18 18 0 0 1 36 0v26z"/>
  <path fill="#6b4a2f" d="M46 104V78a18 18 0 0 1 10-16.1V110z"/>
  <circle cx="52.5" cy="86" r="2" fill="#f0d9a8"/>
  <path fill="none" stroke="#d8dee6" stroke-width="4" stroke-linecap="round" d="M12 104h34m36 0h34"/>
</svg>
`;
