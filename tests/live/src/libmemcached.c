/*
 * Asks libmemcached where keys go. No server is contacted.
 *
 * Commands come on standard input, one a line, their words apart by tabs; each gives one line of answer:
 *
 *   version                      the library's version
 *   set      BEHAVIOR  VALUE     "ok", or what the library says against it
 *   prefix   TEXT                the same
 *   options  TEXT                the same; a new client of these options takes the place of the one before
 *   server   HOST  PORT  WEIGHT  the same
 *   socket   PATH  WEIGHT        the same
 *   key      HEX                 the server of the key, HOST and PORT
 *   value    HASH  HEX           the hash of the key
 *
 * Behaviors, hashes and distributions go by the names that the library prints, so no table of them stands
 * here. What is unknown ends the program.
 */

#include <libmemcached/memcached.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4

static void fail(const char *what, const char *about) {
  fprintf(stderr, "%s: %s\n", what, about);
  exit(1);
}

/* The number of the thing with this name, among so many; the library's names begin with the prefix. */
static int numbered(const char *name, const char *prefix, const char *(*name_of)(int), int count) {
  for (int number = 0; number < count; number++) {
    const char *known = name_of(number);
    size_t length = strlen(prefix);
    if (known && strncmp(known, prefix, length) == 0 && strcmp(known + length, name) == 0) {
      return number;
    }
  }
  fail("libmemcached has no such name", name);
  return -1;
}

static const char *behavior_name(int number) {
  return libmemcached_string_behavior((memcached_behavior_t) number);
}

static const char *hash_name(int number) {
  return libmemcached_string_hash((memcached_hash_t) number);
}

static const char *distribution_name(int number) {
  return libmemcached_string_distribution((memcached_server_distribution_t) number);
}

static memcached_hash_t hash_named(const char *name) {
  return (memcached_hash_t) numbered(name, "", hash_name, MEMCACHED_HASH_MAX);
}

static uint64_t value_of(memcached_behavior_t behavior, const char *text) {
  if (behavior == MEMCACHED_BEHAVIOR_HASH) {
    return hash_named(text);
  }
  if (behavior == MEMCACHED_BEHAVIOR_DISTRIBUTION) {
    return (uint64_t) numbered(text, "MEMCACHED_DISTRIBUTION_", distribution_name,
                               MEMCACHED_DISTRIBUTION_CONSISTENT_MAX);
  }
  return strtoull(text, NULL, 10);
}

/* Reads hex digits in place; gives the number of bytes. */
static size_t bytes_of(char *hex) {
  size_t length = strlen(hex) / 2;
  for (size_t at = 0; at < length; at++) {
    unsigned byte;
    if (sscanf(hex + 2 * at, "%2x", &byte) != 1) {
      fail("not hex", hex);
    }
    hex[at] = (char) byte;
  }
  return length;
}

static void print_result(memcached_st *client, memcached_return_t result) {
  puts(memcached_success(result) ? "ok" : memcached_strerror(client, result));
}

/* A client of these options, if the library takes them. */
static memcached_st *with_options(memcached_st *client, const char *text) {
  char complaint[1024] = "";
  size_t length = strlen(text);
  memcached_return_t result = libmemcached_check_configuration(text, length, complaint, sizeof complaint);
  if (memcached_failed(result)) {
    puts("refused");
    return client;
  }
  memcached_st *made = memcached(text, length);
  if (!made) {
    fail("checked, and not made", text);
  }
  puts("ok");
  memcached_free(client);
  return made;
}

static memcached_st *obey(memcached_st *client, char *words[WORDS]) {
  const char *command = words[0];
  if (strcmp(command, "version") == 0) {
    puts(memcached_lib_version());
  } else if (strcmp(command, "set") == 0) {
    memcached_behavior_t flag = (memcached_behavior_t) numbered(
        words[1], "MEMCACHED_BEHAVIOR_", behavior_name, MEMCACHED_BEHAVIOR_MAX);
    print_result(client, memcached_behavior_set(client, flag, value_of(flag, words[2])));
  } else if (strcmp(command, "prefix") == 0) {
    print_result(client, memcached_callback_set(client, MEMCACHED_CALLBACK_NAMESPACE, words[1]));
  } else if (strcmp(command, "server") == 0) {
    print_result(client, memcached_server_add_with_weight(client, words[1], (in_port_t) atoi(words[2]),
                                                          (uint32_t) strtoul(words[3], NULL, 10)));
  } else if (strcmp(command, "socket") == 0) {
    print_result(client, memcached_server_add_unix_socket_with_weight(
                             client, words[1], (uint32_t) strtoul(words[2], NULL, 10)));
  } else if (strcmp(command, "key") == 0) {
    size_t length = bytes_of(words[1]);
    uint32_t place = memcached_generate_hash(client, words[1], length);
    const memcached_instance_st *server = memcached_server_instance_by_position(client, place);
    printf("%s\t%u\n", memcached_server_name(server), (unsigned) memcached_server_port(server));
  } else if (strcmp(command, "value") == 0) {
    size_t length = bytes_of(words[2]);
    printf("%u\n", memcached_generate_hash_value(words[2], length, hash_named(words[1])));
  } else if (strcmp(command, "options") == 0) {
    return with_options(client, words[1]);
  } else {
    fail("no such command", command);
  }
  return client;
}

int main(void) {
  memcached_st *client = memcached_create(NULL);
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    if (line[length - 1] == '\n') {
      line[length - 1] = 0;
    }
    char *words[WORDS] = {"", "", "", ""};
    char *rest = line;
    for (int word = 0; word < WORDS && rest; word++) {
      words[word] = strsep(&rest, "\t");
    }
    client = obey(client, words);
  }
  free(line);
  memcached_free(client);
  return 0;
}
