/** The name under which the cases of the HTTP domain are made. */
export const HTTP_DOMAIN = 'http';
