package main

import (
	"net"
	"strings"

	"github.com/FerretDB/wire/wirebson"
)

// FerretDB looks by the index for a filter of `_id` alone, and reads the whole collection for one that says more: to end a job,
// if it is pending, took 0.1 s with 3,000 records. So such a change of one document is taken apart while the gate keeps all
// others out: first the document is looked for and held against the rest, then it is changed by its `_id`, or none is.

// statements names, by command, where its statements stand, and the filter in each; findAndModify is a statement itself.
var statements = map[string]struct{ list, filter string }{
	"update":        {"updates", "q"},
	"delete":        {"deletes", "q"},
	"findAndModify": {"", "query"},
}

// byID returns the request with a filter of `_id` alone, if it is one for a single document under more conditions; otherwise
// the request itself. The document must be locked.
func (g *gate) byID(request []byte, server net.Conn) ([]byte, error) {
	command, ok := commandOf(request)
	if !ok {
		return request, nil
	}
	name := command.Command()
	position, ok := statements[name]
	if !ok {
		return request, nil
	}
	statement := command
	if position.list != "" {
		list, ok := command.Get(position.list).(*wirebson.Array)
		if !ok || list.Len() != 1 {
			return request, nil
		}
		if statement, ok = list.Get(0).(*wirebson.Document); !ok {
			return request, nil
		}
	}
	filter, ok := statement.Get(position.filter).(*wirebson.Document)
	// What is made when nothing is found has the fields of the filter.
	if upserts, _ := statement.Get("upsert").(bool); !ok || upserts {
		return request, nil
	}
	id, rest, ok := conditionsOf(filter)
	if !ok {
		return request, nil
	}
	holds, ok, err := g.holds(wirebson.MustDocument(
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
	if !holds {
		// No document has it: the service's are texts.
		only = wirebson.MustDocument("_id", wirebson.ObjectID{})
	}
	if err := statement.Replace(position.filter, only); err != nil {
		return request, nil
	}
	rewritten, ok := message(command, 0)
	if !ok {
		return request, nil
	}
	// By which the client knows the answer.
	copy(rewritten[4:8], request[4:8])
	return rewritten, nil
}

// conditionsOf takes a filter apart: the text that `_id` must be, and everything else.
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

// holds asks whether a query finds anything; ok is false where the database does not say.
func (g *gate) holds(query *wirebson.Document, server net.Conn) (holds, ok bool, err error) {
	look, ok := message(query, 0)
	if !ok {
		return false, false, nil
	}
	response, err := g.exchange(look, server)
	if err != nil {
		return false, false, err
	}
	batch, ok := firstBatchOf(response)
	return ok && batch.Len() > 0, ok, nil
}
