/** As the server has it; refused passwords are explained before they are sent. */
export const MIN_PASSWORD = 10;
