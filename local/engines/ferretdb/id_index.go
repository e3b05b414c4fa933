package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of FerretDB, because SQLite's locks within a process work only in one library
)

const checkInterval = time.Second

// FerretDB finds a document by `_ferretdb_sjson->'$._id' = ?`, but its unique index is on `_ferretdb_sjson->"_id"`. SQLite
// compares the text of expressions, so each lookup would read the whole table. This index serves the lookups. FerretDB's own
// index still ensures uniqueness, and its presence shows that the collection is complete.
const tablesWithout = `SELECT tbl_name FROM sqlite_master AS theirs WHERE type = 'index' AND name = tbl_name || '__id_'
	AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = theirs.tbl_name || '_id_lookup')`

const createIndex = `CREATE INDEX IF NOT EXISTS %q ON %q (_ferretdb_sjson->'$._id')`

// indexAll creates the index of every collection in the folder. Call it before the server runs, because building an index blocks
// writers.
func indexAll(ctx context.Context, dir string, logger *slog.Logger) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.sqlite"))
	for _, file := range files {
		if err := indexFile(ctx, file); err != nil {
			logger.Error("no index on _id", "file", file, "error", err)
		}
	}
}

// keepIndexed creates the index of each new collection until the context ends. Without it the server is slow but correct, so
// errors are logged, and the next check tries again.
func keepIndexed(ctx context.Context, dir string, logger *slog.Logger) {
	seen := map[string]string{}
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// Databases without a write-ahead log are skipped: FerretDB has not set them up yet, and an open file could prevent
		// it from enabling the log.
		logs, _ := filepath.Glob(filepath.Join(dir, "*.sqlite-wal"))
		present := make(map[string]string, len(logs))
		for _, log := range logs {
			state, err := stateOf(log)
			if err == nil && state != seen[log] {
				err = indexFile(ctx, log[:len(log)-len("-wal")])
			}
			if err == nil {
				present[log] = state
			} else if ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
				logger.Error("no index on _id", "file", log, "error", err)
			}
		}
		seen = present
	}
}

// stateOf returns a text that changes with every write to the file.
func stateOf(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size()), nil
}

// indexFile creates the missing indexes of a database. It closes the file, because an open file outlives the drop of its database.
func indexFile(ctx context.Context, file string) (err error) {
	if _, err = os.Stat(file); err != nil {
		return err
	}
	db, err := open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tables, err := names(ctx, db, tablesWithout)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := db.ExecContext(ctx, fmt.Sprintf(createIndex, table+"_id_lookup", table)); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// open opens only an existing file, so that it does not recreate a dropped database.
func open(file string) (*sql.DB, error) {
	location := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=rw&_pragma=busy_timeout(10000)"}
	db, err := sql.Open("sqlite", location.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func names(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		found = append(found, name)
	}
	return found, rows.Err()
}
