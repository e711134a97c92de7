"""Confluent's serialisers at the other end of a topic: peer.py write|read avro|protobuf|json BROKER REGISTRY TOPIC.

write produces the rows below; read prints the values of a topic as JSON, a line each, with their keys."""

import datetime
import decimal
import json
import sys

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, timestamp_pb2

AVRO = """{"type": "record", "name": "Order", "namespace": "peer", "fields": [
  {"name": "id", "type": "long"},
  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
  {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["NEW", "OLD"]}},
  {"name": "who", "type": ["null", {"type": "record", "name": "Who", "fields": [{"name": "name", "type": "string"}, {"name": "tags", "type": {"type": "map", "values": "int"}}]}], "default": null}]}"""

JSON = """{"$schema": "http://json-schema.org/draft-07/schema#", "title": "Order", "type": "object", "properties": {
  "id": {"type": "integer"}, "name": {"type": ["string", "null"]}, "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": "number"}}}}}}"""


def reading():
    """The class of the message peer.Reading, the second one of its file."""
    f = descriptor_pb2.FileDescriptorProto(name="reading.proto", package="peer", syntax="proto3", dependency=["google/protobuf/timestamp.proto"])
    f.message_type.add(name="Other")
    m = f.message_type.add(name="Reading")
    kinds = descriptor_pb2.FieldDescriptorProto
    m.field.add(name="sensor", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    m.field.add(name="level", number=2, type=kinds.TYPE_SINT32, label=kinds.LABEL_OPTIONAL)
    m.field.add(name="at", number=3, type=kinds.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp", label=kinds.LABEL_OPTIONAL)
    m.field.add(name="values", number=4, type=kinds.TYPE_DOUBLE, label=kinds.LABEL_REPEATED)
    timestamp_pb2.Timestamp()
    pool = descriptor_pool.Default()
    pool.Add(f)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("peer.Reading"))


def rows(form):
    at = datetime.datetime(2020, 1, 2, 3, 4, 5, 678000, tzinfo=datetime.timezone.utc)
    if form == "avro":
        return [
            {"id": 1, "price": decimal.Decimal("12.30"), "at": at, "kind": "OLD", "who": {"name": "Ann", "tags": {"a": 1}}},
            {"id": -2, "price": decimal.Decimal("-0.01"), "at": at, "kind": "NEW", "who": None},
        ]
    if form == "json":
        return [{"id": 1, "name": "é", "lines": [{"sku": "x", "n": 1.5}]}, {"id": 2, "name": None, "lines": []}]
    cls = reading()
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(at)
    return [cls(sensor="s", level=-3, at=stamp, values=[1.5, -2]), cls(level=7)]


def serializer(form, client):
    if form == "avro":
        return AvroSerializer(client, AVRO)
    if form == "json":
        return JSONSerializer(JSON, client)
    return ProtobufSerializer(reading(), client, {"use.deprecated.format": False})


def write(form, broker, client, topic):
    to_bytes, producer = serializer(form, client), Producer({"bootstrap.servers": broker})
    for row in rows(form):
        producer.produce(topic, to_bytes(row, SerializationContext(topic, MessageField.VALUE)), partition=0)
    if producer.flush(20):
        sys.exit("records were not delivered")


def deserializer(form, client):
    if form == "avro":
        return AvroDeserializer(client)
    if form == "json":
        return JSONDeserializer(None, schema_registry_client=client)
    pool_file = descriptor_pb2.FileDescriptorProto(name="written.proto", syntax="proto3")
    m = pool_file.message_type.add(name="Written")
    kinds = descriptor_pb2.FieldDescriptorProto
    m.field.add(name="id", number=1, type=kinds.TYPE_INT64, label=kinds.LABEL_OPTIONAL)
    m.field.add(name="name", number=2, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    m.field.add(name="tags", number=3, type=kinds.TYPE_STRING, label=kinds.LABEL_REPEATED)
    pool = descriptor_pool.Default()
    pool.Add(pool_file)
    to_message = ProtobufDeserializer(message_factory.GetMessageClass(pool.FindMessageTypeByName("Written")), {"use.deprecated.format": False})
    return lambda value, ctx: json_format.MessageToDict(to_message(value, ctx), preserving_proto_field_name=True)


def read(form, broker, client, topic):
    from_bytes = deserializer(form, client)
    consumer = Consumer({"bootstrap.servers": broker, "group.id": "peer", "isolation.level": "read_committed", "enable.auto.commit": False})
    low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=20)
    consumer.assign([TopicPartition(topic, 0, low)])
    while low < high:
        m = consumer.poll(1)
        if m is None:
            low = consumer.position([TopicPartition(topic, 0)])[0].offset
            continue
        low = m.offset() + 1
        value = from_bytes(m.value(), SerializationContext(topic, MessageField.VALUE)) if m.value() is not None else None
        print(json.dumps(value, default=str, ensure_ascii=False))
        if low >= high - 1:  # the last offset is the transaction's marker
            break
    consumer.close()


if __name__ == "__main__":
    verb, form, broker, registry, topic = sys.argv[1:]
    {"write": write, "read": read}[verb](form, broker, SchemaRegistryClient({"url": registry}), topic)
