"""Writes the model as the archive that a store keeps in Z_MODELCACHE."""

import hashlib
import zlib

from .archive import NULL, Archive
from .rng import Rng

# kind: (attribute type, value class)
_TYPES = {
    "int16": (100, "NSNumber"),
    "int32": (200, "NSNumber"),
    "int": (300, "NSNumber"),
    "double": (500, "NSNumber"),
    "string": (700, "NSString"),
    "bool": (800, "NSNumber"),
    "date": (900, "NSDate"),
    "data": (1000, "NSData"),
    "uuid": (1100, "NSUUID"),
    "strings": (1800, "Array<String>"),
    "enum": (2100, "NSDictionary"),
    "number": (2100, "NSDictionary"),
}

_PROPERTY = ("NSPropertyDescription", "NSObject")
_ATTRIBUTE = ("NSAttributeDescription",) + _PROPERTY
_COMPOSITE = ("NSCompositeAttributeDescription",) + _ATTRIBUTE
_RELATION = ("NSRelationshipDescription",) + _PROPERTY
_MUTABLE_ARRAY = ("NSMutableArray", "NSArray", "NSObject")
_SET = ("NSSet", "NSObject")
_KNOWN_KEYS = (
    "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject")
_MAPPING = ("NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject")
_EMPTY_TOKEN = "__empty_slot_token_4c24_98dc_ac1e_b773__"

# The bits the framework packs into a property's `_P`.
_PLAIN_BITS, _OPTIONAL_BIT, _NO_USER_INFO_BIT = 177, 2, 64


class ModelWriter:
    """Writes one model; every entity and property has its place before any is filled."""

    def __init__(self, entities, version, configuration):
        self._archive = Archive()
        self._configuration = configuration
        self._entities = entities
        self._version = version
        self._model = self._archive.reserve()
        self._places = {entity.name: self._archive.reserve() for entity in entities}
        self._relations = {
            (entity.name, relation.name): self._archive.reserve()
            for entity in entities for relation in entity.relations
        }

    def content(self):
        """The raw deflate stream of the archive, as the store keeps it."""
        archive = self._archive
        names = [archive.value(entity.name) for entity in self._entities]
        places = [self._entity(entity) for entity in self._entities]
        mapping = archive.object(_MAPPING, keys=archive.array(names), length=len(names), version=1)
        table = archive.object(
            _KNOWN_KEYS, searchMapping=mapping, values=archive.array(places),
            emptyToken=archive.value(_EMPTY_TOKEN), version=1)
        configuration = (archive.value(self._configuration), archive.array(places, _SET))
        archive.fill(self._model, ("NSManagedObjectModel", "NSObject"), {
            "NSEntities": table,
            "NSFetchRequestTemplates": NULL,
            "NSConfigurations": archive.dictionary([configuration]),
            "NSVersionIdentifiers": archive.array([archive.value(self._version)], _SET),
        })
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        return deflate.compress(archive.data(self._model)) + deflate.flush()

    def _entity(self, entity):
        archive = self._archive
        properties = [(item.name, self._attribute(entity, item)) for item in entity.attributes]
        properties += [(item.name, self._relation(entity, item)) for item in entity.relations]
        # The framework writes properties in hash order, not by name.
        properties.sort(key=lambda item: hashlib.sha256(item[0].encode("utf-8")).digest())
        tuples = [archive.array([archive.value(name)], _MUTABLE_ARRAY) for name in entity.unique]
        return archive.fill(self._places[entity.name], ("NSEntityDescription", "NSObject"), {
            "NSEntityName": archive.value(entity.name),
            "NSClassNameForEntity": NULL,
            "NSManagedObjectModel": self._model,
            "NSProperties": archive.dictionary([(archive.value(key), item) for key, item in properties]),
            "NSRenamingIdentifier": archive.value(entity.name),
            "NSSubentities": archive.dictionary([]),
            "NSSuperentity": NULL,
            "NSUniqueTuples": archive.array(tuples, _MUTABLE_ARRAY),
            "NSUserInfo": archive.dictionary([], mutable=False),
            "NSVersionHashModifier": NULL,
        })

    def _property(self, entity, name, optional, user_info=False):
        packed = _PLAIN_BITS + (_OPTIONAL_BIT if optional else 0) + (0 if user_info else _NO_USER_INFO_BIT)
        fields = {
            "NSPropertyName": self._archive.value(name),
            "NSRenamingIdentifier": self._archive.value(name),
            "NSEntity": self._places[entity.name],
            "_P": packed,
        }
        if optional:
            fields["NSIsOptional"] = True
        return fields

    def _attribute(self, entity, attribute):
        if attribute.kind in ("enum", "number"):
            return self._enumeration(entity, attribute)
        fields = self._property(entity, attribute.name, attribute.optional)
        fields.update(self._value_fields(attribute.kind))
        if attribute.default == "new":
            identifier = Rng("model default", entity.name, attribute.name).uuid()
            fields["NSDefaultValue"] = self._archive.object(
                ("NSUUID", "NSObject"), **{"NS.uuidbytes": identifier})
        return self._archive.object(_ATTRIBUTE, **fields)

    def _value_fields(self, kind):
        number, value_class = _TYPES[kind]
        archive = self._archive
        transformer = archive.value("NSSecureUnarchiveFromData") if kind == "strings" else NULL
        return {
            "NSAttributeType": number,
            "NSAttributeValueClassName": archive.value(value_class),
            "NSDefaultValue": NULL,
            "NSFlagsKey": 0,
            "NSValueTransformerName": transformer,
        }

    def _enumeration(self, entity, attribute):
        """An enum is a composite marked EnumType with one element of the same name."""
        archive = self._archive
        element = self._property(entity, attribute.name, True)
        element.update(self._value_fields("int" if attribute.kind == "number" else "string"))
        elements = archive.array([archive.object(_ATTRIBUTE, **element)], _MUTABLE_ARRAY)
        fields = self._property(entity, attribute.name, attribute.optional, user_info=True)
        fields.update(self._value_fields(attribute.kind))
        fields["NSCompositeElements"] = elements
        fields["NSUserInfo"] = archive.dictionary(
            [(archive.value("EnumType"), archive.value(True))], mutable=False)
        if attribute.default:
            fields["NSDefaultValue"] = archive.dictionary([])
        return archive.object(_COMPOSITE, **fields)

    def _relation(self, entity, relation):
        archive = self._archive
        fields = self._property(entity, relation.name, relation.optional)
        fields.update({
            "NSDeleteRule": relation.rule,
            "NSDestinationEntity": self._places[relation.destination],
            "NSInverseRelationship": self._relations[relation.destination, relation.inverse],
            "NSMaxCount": 0 if relation.many else 1,
            "NSMinCount": 0,
            "_NSDestinationEntityName": archive.value(relation.destination),
            "_NSInverseRelationshipName": archive.value(relation.inverse),
        })
        return archive.fill(self._relations[entity.name, relation.name], _RELATION, fields)
