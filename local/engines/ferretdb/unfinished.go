package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
)

// FerretDB creates a collection in three steps: a table, an entry that names it, and a unique index. If it is killed after the
// first, the table always "already exists" and the collection cannot store any document. If it is killed after the second, the
// collection accepts two documents with the same `_id`. Such a table is still empty, so it is removed.
const unfinishedTables = `SELECT name FROM sqlite_master AS made WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
	AND name <> '_ferretdb_collections' AND NOT EXISTS (SELECT 1 FROM sqlite_master JOIN _ferretdb_collections
	ON table_name = made.name WHERE type = 'index' AND tbl_name = made.name AND sqlite_master.name = made.name || '__id_')`

// removeUnfinished removes unfinished collections. It must return before the server opens the folder.
func removeUnfinished(ctx context.Context, dir string, logger *slog.Logger) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.sqlite"))
	for _, file := range files {
		if err := removeUnfinishedFrom(ctx, file); err != nil {
			logger.Error("cannot remove unfinished collections", "file", file, "error", err)
		}
	}
}

func removeUnfinishedFrom(ctx context.Context, file string) (err error) {
	db, err := open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tables, err := names(ctx, db, unfinishedTables)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var rows int
		if err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM %q`, table)).Scan(&rows); err != nil {
			return err
		}
		if rows > 0 {
			return fmt.Errorf("%s has %d rows", table, rows)
		}
		if _, err := db.ExecContext(ctx, `DELETE FROM _ferretdb_collections WHERE table_name = ?`, table); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`DROP TABLE %q`, table)); err != nil {
			return err
		}
	}
	return nil
}
