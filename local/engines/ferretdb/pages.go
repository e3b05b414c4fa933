package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/FerretDB/wire/wirebson"
)

// For any query except a lookup of one `_id`, FerretDB reads, parses and sorts the whole collection in memory, which takes two
// minutes with a million documents. So the gate itself finds the pages of listings (the first documents in the order of `_id`)
// by the index and the JSON in SQLite, and requests each of their documents from FerretDB. It forwards any other query unchanged.

const (
	maxPage      = 1000
	maxPageBytes = 32 << 20
	idColumn     = `_ferretdb_sjson->'$._id'`
	// The expression in FerretDB's own indexes. SQLite compares the text of expressions.
	idOfIndexes = `_ferretdb_sjson->"_id"`
	// Sorts after the JSON of all strings, and before that of any other value.
	afterTexts     = `#`
	maxTimeExpired = 50
)

var (
	fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
	// Strings that all encoders write alike. Spaces are excluded, because they sort before the quote at the end of a string.
	plainText     = regexp.MustCompile(`^[#-%'-;=?-\[\]-~]*$`)
	operators     = map[string]string{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<=", "$eq": "="}
	ignoredFields = map[string]bool{"lsid": true, "$clusterTime": true, "$readPreference": true, "singleBatch": true}
)

type pageQuery struct {
	database, collection string
	where                string
	args                 []any
	equals               []equality
	order                string
	limit                int64
	idsOnly              bool
	maxTime              time.Duration
}

// equality is the condition that a field equals a string, given as JSON.
type equality struct{ name, json string }

// pageOf returns the page that a command requests; ok is false if it is no such command.
func pageOf(command *wirebson.Document) (query *pageQuery, ok bool) {
	query = &pageQuery{where: "TRUE"}
	for i := range command.Len() {
		name, value := command.GetByIndex(i)
		ok = true
		switch name {
		case "find":
			query.collection, ok = value.(string)
		case "$db":
			query.database, ok = value.(string)
		case "limit":
			query.limit, ok = whole(value)
		case "maxTimeMS":
			var ms int64
			ms, ok = whole(value)
			query.maxTime = time.Duration(ms) * time.Millisecond
		case "sort":
			query.order, ok = orderOf(value)
		case "projection":
			query.idsOnly, ok = true, isIdsOnly(value)
		case "filter":
			var filter *wirebson.Document
			if filter, ok = value.(*wirebson.Document); ok {
				query.where, ok = query.allOf(filter)
				query.equals = equalitiesOf(filter)
			}
		default:
			ok = ignoredFields[name]
		}
		if !ok {
			return nil, false
		}
	}
	isPage := query.collection != "" && query.order != "" && query.limit > 0 && query.limit <= maxPage
	return query, isPage && plainText.MatchString(query.database)
}

func whole(value any) (int64, bool) {
	switch number := value.(type) {
	case int32:
		return int64(number), true
	case int64:
		return number, true
	case float64:
		return int64(number), number == float64(int64(number))
	}
	return 0, false
}

func orderOf(value any) (string, bool) {
	sort, ok := value.(*wirebson.Document)
	if !ok || sort.Len() != 1 {
		return "", false
	}
	direction, ok := whole(sort.Get("_id"))
	return map[int64]string{1: "ASC", -1: "DESC"}[direction], ok && (direction == 1 || direction == -1)
}

func isIdsOnly(value any) bool {
	projection, ok := value.(*wirebson.Document)
	if !ok || projection.Len() != 1 {
		return false
	}
	shown, ok := whole(projection.Get("_id"))
	return ok && shown == 1
}

// allOf translates a filter into SQL; ok is false if it contains an unknown condition.
func (q *pageQuery) allOf(filter *wirebson.Document) (string, bool) {
	parts := []string{"TRUE"}
	for i := range filter.Len() {
		name, value := filter.GetByIndex(i)
		part, ok := q.condition(name, value)
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	return "(" + strings.Join(parts, " AND ") + ")", true
}

func (q *pageQuery) condition(name string, value any) (string, bool) {
	if name == "$or" {
		either, ok := value.(*wirebson.Array)
		if !ok || either.Len() == 0 {
			return "", false
		}
		var parts []string
		for i := range either.Len() {
			filter, ok := either.Get(i).(*wirebson.Document)
			if !ok {
				return "", false
			}
			part, ok := q.allOf(filter)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		return "(" + strings.Join(parts, " OR ") + ")", true
	}
	if name != "_id" && !fieldName.MatchString(name) {
		return "", false
	}
	conditions, ok := value.(*wirebson.Document)
	if !ok {
		return q.comparison(name, "=", value)
	}
	parts := []string{"TRUE"}
	for i := range conditions.Len() {
		operator, operand := conditions.GetByIndex(i)
		var part string
		switch operator {
		case "$ne":
			part, ok = q.comparison(name, "=", operand)
			part = "NOT " + part
		case "$exists":
			var wanted bool
			wanted, ok = operand.(bool)
			part = fmt.Sprintf("(json_type(_ferretdb_sjson, '$.%s') IS NOT NULL) = %t", name, wanted)
		default:
			sign, known := operators[operator]
			part, ok = q.comparison(name, sign, operand)
			ok = ok && known
		}
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	return "(" + strings.Join(parts, " AND ") + ")", true
}

// comparison compares strings. Of an array, one string that matches is enough.
func (q *pageQuery) comparison(name, sign string, value any) (string, bool) {
	text, ok := value.(string)
	if !ok || !plainText.MatchString(text) {
		return "", false
	}
	json := `"` + text + `"`
	if name == "_id" {
		q.args = append(q.args, json)
		condition := fmt.Sprintf("%s %s ?", idColumn, sign)
		if strings.HasPrefix(sign, ">") {
			// The plus keeps SQLite from using the index for this bound instead of the requested one.
			condition += fmt.Sprintf(" AND +(%s) < '%s'", idColumn, afterTexts)
		}
		return "(" + condition + ")", true
	}
	q.args = append(q.args, json, json)
	return fmt.Sprintf(`coalesce(CASE json_type(_ferretdb_sjson, '$.%[1]s')
		WHEN 'text' THEN _ferretdb_sjson->'$.%[1]s' %[2]s ?
		WHEN 'array' THEN EXISTS (SELECT 1 FROM json_each(_ferretdb_sjson, '$.%[1]s') WHERE type = 'text' AND json_quote(value) %[2]s ?)
		END, FALSE)`, name, sign), true
}

// ids returns the IDs of the documents of the page, or errNoPage if FerretDB must answer the query.
func (q *pageQuery) ids(ctx context.Context, dir string) (ids []string, err error) {
	file := filepath.Join(dir, q.database+".sqlite")
	// Without a write-ahead log, FerretDB has not set up the database yet (see keepIndexed).
	if _, err := os.Stat(file + "-wal"); err != nil {
		return nil, errNoPage
	}
	if q.maxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.maxTime)
		defer cancel()
	}
	db, err := open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var table string
	err = db.QueryRowContext(ctx, `SELECT table_name FROM _ferretdb_collections WHERE name = ?`, q.collection).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errNoPage
	}
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`SELECT _ferretdb_sjson->>'$._id' FROM %q WHERE %s ORDER BY %s %s LIMIT ?`, table, q.where, idColumn, q.order)
	args := append(append([]any(nil), q.args...), q.limit)
	index, found, err := q.findIndex(ctx, db, table)
	if err != nil {
		return nil, err
	}
	if index != "" {
		where := strings.ReplaceAll(q.where, idColumn, idOfIndexes)
		text = fmt.Sprintf(`SELECT _ferretdb_sjson->>'$._id' FROM %q INDEXED BY %q WHERE %s = ? AND %s ORDER BY %s %s LIMIT ?`,
			table, index, columnOf(found.name), where, idOfIndexes, q.order)
		args = append([]any{found.json}, args...)
	}
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// findIndex returns an index of FerretDB on a field of an equality and then on `_id`. It skips an index if any document has an
// array in that field, because one string of the array would be enough for a match.
func (q *pageQuery) findIndex(ctx context.Context, db *sql.DB, table string) (index string, by equality, err error) {
	for _, by := range q.equals {
		column := columnOf(by.name)
		fields := fmt.Sprintf("(%s, %s DESC)", column, idOfIndexes)
		err := db.QueryRowContext(ctx,
			`SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND instr(sql, ?) > 0`, table, fields,
		).Scan(&index)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return "", by, err
		}
		var hasArrays bool
		text := fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM %q INDEXED BY %q WHERE %s >= '[' AND %s < '\')`, table, index, column, column)
		if err := db.QueryRowContext(ctx, text).Scan(&hasArrays); err != nil {
			return "", by, err
		}
		if !hasArrays {
			return index, by, nil
		}
	}
	return "", by, nil
}

func columnOf(name string) string { return fmt.Sprintf(`_ferretdb_sjson->"%s"`, name) }

// equalitiesOf returns the equalities of a filter that must all hold.
func equalitiesOf(filter *wirebson.Document) (found []equality) {
	for i := range filter.Len() {
		name, value := filter.GetByIndex(i)
		if text, ok := value.(string); ok && name != "_id" {
			found = append(found, equality{name, `"` + text + `"`})
		}
	}
	return found
}

var errNoPage = errors.New("not a page")

// answerPage answers a command that requests a page; ok is false if FerretDB must answer it.
func (g *gate) answerPage(ctx context.Context, request []byte, exchange func([]byte) ([]byte, error)) (response []byte, ok bool) {
	if !isMsg(request) || !bytes.HasPrefix(request[headerLength+9:], []byte("\x02find\x00")) {
		return nil, false
	}
	command, ok := commandOf(request)
	if !ok {
		return nil, false
	}
	query, ok := pageOf(command)
	if !ok {
		return nil, false
	}
	ids, err := query.ids(ctx, g.dir)
	if errors.Is(err, context.DeadlineExceeded) {
		return answerTo(request, wirebson.MustDocument(
			"ok", 0.0, "errmsg", "operation exceeded time limit", "code", int32(maxTimeExpired), "codeName", "MaxTimeMSExpired",
		))
	}
	if err != nil {
		if !errors.Is(err, errNoPage) {
			g.logger.Error("cannot find a page; FerretDB answers the query", "collection", query.collection, "error", err)
		}
		return nil, false
	}
	found := wirebson.MakeArray(len(ids))
	size := 0
	for _, id := range ids {
		if query.idsOnly {
			_ = found.Add(wirebson.MustDocument("_id", id))
			continue
		}
		document, bytes, ok := query.document(id, exchange)
		size += bytes
		if !ok || size > maxPageBytes {
			return nil, false
		}
		_ = found.Add(document)
	}
	namespace := query.database + "." + query.collection
	return answerTo(request, wirebson.MustDocument(
		"cursor", wirebson.MustDocument("firstBatch", found, "id", int64(0), "ns", namespace), "ok", 1.0,
	))
}

// document reads one document from FerretDB; ok is false if it was removed meanwhile.
func (q *pageQuery) document(id string, exchange func([]byte) ([]byte, error)) (any, int, bool) {
	query := wirebson.MustDocument(
		"find", q.collection, "filter", wirebson.MustDocument("_id", id), "limit", int64(1), "singleBatch", true, "$db", q.database,
	)
	request, ok := message(query, 0)
	if !ok {
		return nil, 0, false
	}
	response, err := exchange(request)
	if err != nil {
		return nil, 0, false
	}
	batch, ok := firstBatchOf(response)
	if !ok || batch.Len() != 1 {
		return nil, 0, false
	}
	return batch.Get(0), len(response), true
}

// firstBatchOf returns the documents in the response to a query; ok is false for any other response.
func firstBatchOf(response []byte) (*wirebson.Array, bool) {
	answer, ok := commandOf(response)
	if !ok {
		return nil, false
	}
	cursor, ok := answer.Get("cursor").(*wirebson.Document)
	if !ok {
		return nil, false
	}
	batch, ok := cursor.Get("firstBatch").(*wirebson.Array)
	return batch, ok
}

// commandOf decodes a message that consists of one document.
func commandOf(request []byte) (*wirebson.Document, bool) {
	const start = headerLength + 5
	if !isMsg(request) || binary.LittleEndian.Uint32(request[headerLength:]) != 0 || request[headerLength+4] != 0 {
		return nil, false
	}
	if size := binary.LittleEndian.Uint32(request[start:]); int64(size) != int64(len(request)-start) {
		return nil, false
	}
	document, err := wirebson.RawDocument(request[start:]).DecodeDeep()
	return document, err == nil
}

func answerTo(request []byte, document *wirebson.Document) ([]byte, bool) {
	return message(document, binary.LittleEndian.Uint32(request[4:]))
}

func message(document *wirebson.Document, responseTo uint32) ([]byte, bool) {
	body, err := document.Encode()
	if err != nil {
		return nil, false
	}
	made := make([]byte, headerLength+5, headerLength+5+len(body))
	made = append(made, body...)
	binary.LittleEndian.PutUint32(made, uint32(len(made)))
	binary.LittleEndian.PutUint32(made[8:], responseTo)
	binary.LittleEndian.PutUint32(made[12:], opMsg)
	return made, true
}
