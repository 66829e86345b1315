-- The table that the app has had for years. The password of both is: correct horse battery staple
CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  username text NOT NULL UNIQUE,
  email text NOT NULL UNIQUE,
  email_confirmed boolean NOT NULL DEFAULT false,
  full_name text,
  password_hash text NOT NULL,
  active boolean NOT NULL DEFAULT true
);
INSERT INTO users (username, email, email_confirmed, full_name, password_hash) VALUES
  ('grace', 'grace@app.example', true, 'Grace Hopper', '$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa'),
  ('alan', 'alan@app.example', true, 'Alan Turing', '$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa');
