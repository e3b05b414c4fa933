package main

import (
	"net"
	"strings"

	"github.com/FerretDB/wire/wirebson"
)

// FerretDB uses its index only for a filter that consists of `_id`, and reads the whole collection for any other filter: ending
// a pending job took 0.1 s with 3,000 records. So the gate splits such a change of one document into two steps, during which it
// lets no other change of the document pass: it checks whether the document matches the other conditions, and then changes the
// document by its `_id`, or none.

// statements has for each command the field with its list of statements, and the field of a statement with the filter. The
// command findAndModify is itself a statement.
var statements = map[string]struct{ list, filter string }{
	"update":        {"updates", "q"},
	"delete":        {"deletes", "q"},
	"findAndModify": {"", "query"},
}

// filterByID checks the conditions of a change of a single document, and returns the request with a filter that consists of
// `_id`. It returns any other request unchanged. The document must be locked.
func (g *gate) filterByID(request []byte, server net.Conn) ([]byte, error) {
	command, ok := commandOf(request)
	if !ok {
		return request, nil
	}
	name := command.Command()
	fields, ok := statements[name]
	if !ok {
		return request, nil
	}
	statement := command
	if fields.list != "" {
		list, ok := command.Get(fields.list).(*wirebson.Array)
		if !ok || list.Len() != 1 {
			return request, nil
		}
		if statement, ok = list.Get(0).(*wirebson.Document); !ok {
			return request, nil
		}
	}
	filter, ok := statement.Get(fields.filter).(*wirebson.Document)
	// An upsert that finds no document inserts one with the fields of the filter.
	if upserts, _ := statement.Get("upsert").(bool); !ok || upserts {
		return request, nil
	}
	id, rest, ok := conditionsOf(filter)
	if !ok {
		return request, nil
	}
	isMatch, ok, err := g.findsAny(wirebson.MustDocument(
		"aggregate", command.Get(name),
		"pipeline", wirebson.MustArray(
			wirebson.MustDocument("$match", wirebson.MustDocument("_id", id)),
			wirebson.MustDocument("$match", rest),
			wirebson.MustDocument("$project", wirebson.MustDocument("_id", int32(1))),
		),
		"cursor", wirebson.MustDocument(), "$db", command.Get("$db"),
	), server)
	if err != nil || !ok {
		return request, err
	}
	only := wirebson.MustDocument("_id", id)
	if !isMatch {
		// No document of the service has such an `_id`: they are strings.
		only = wirebson.MustDocument("_id", wirebson.ObjectID{})
	}
	if err := statement.Replace(fields.filter, only); err != nil {
		return request, nil
	}
	rewritten, ok := message(command, 0)
	if !ok {
		return request, nil
	}
	// The client finds its request by this ID of the response.
	copy(rewritten[4:8], request[4:8])
	return rewritten, nil
}

// conditionsOf splits a filter into the string that `_id` must equal, and all other conditions.
func conditionsOf(filter *wirebson.Document) (id string, rest *wirebson.Document, ok bool) {
	rest = wirebson.MakeDocument(filter.Len())
	for i := range filter.Len() {
		name, value := filter.GetByIndex(i)
		if name == "_id" {
			if id, ok = value.(string); !ok {
				return "", nil, false
			}
		} else if err := rest.Add(name, value); err != nil || strings.HasPrefix(name, "$") {
			return "", nil, false
		}
	}
	return id, rest, ok && rest.Len() > 0
}

// findsAny reports whether a query finds any document; ok is false if the database returns an error.
func (g *gate) findsAny(query *wirebson.Document, server net.Conn) (found, ok bool, err error) {
	request, ok := message(query, 0)
	if !ok {
		return false, false, nil
	}
	response, err := g.exchange(request, server)
	if err != nil {
		return false, false, err
	}
	batch, ok := firstBatchOf(response)
	return ok && batch.Len() > 0, ok, nil
}
