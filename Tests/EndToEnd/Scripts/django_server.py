#!/usr/bin/env python3
"""The sample store's server as a team writes it with Django REST framework, over a new SQLite database.

    django_server.py FOLDER PORT [json-api]

With `json-api` it speaks JSON:API, by Django REST framework JSON:API: routes end without a slash, a type is called
like its collection, and a token is a bearer's.

FOLDER gets the database. The tokens of its two users are `drf-token` and `other-token`. Pages have 50 rows and a `next`; keys are UUIDs that the client may
choose; a reference is the other record's key. Each view set shows its user's own rows alone, and makes that user the
owner of what it takes.
"""

import sys
import uuid

import django
from django.conf import settings

folder, port = sys.argv[1:3]
is_json_api = sys.argv[3:] == ["json-api"]
kind = "rest_framework_json_api" if is_json_api else "rest_framework"
settings.configure(
    DEBUG=False,
    SECRET_KEY="for-tests",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/django.sqlite", "OPTIONS": {"timeout": 30}}},
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "rest_framework.authtoken"]
    + [kind] * is_json_api,
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_RENDERER_CLASSES": [f"{kind}.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": [f"{kind}.parsers.JSONParser"],
        "DEFAULT_PAGINATION_CLASS": (
            f"{kind}.pagination.JsonApiPageNumberPagination" if is_json_api
            else f"{kind}.pagination.PageNumberPagination"),
        "EXCEPTION_HANDLER": (
            f"{kind}.exceptions.exception_handler" if is_json_api else f"{kind}.views.exception_handler"),
        "PAGE_SIZE": 50,
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import routers, serializers, viewsets  # noqa: E402
from rest_framework.authentication import TokenAuthentication  # noqa: E402
from rest_framework.authtoken.models import Token  # noqa: E402

if is_json_api:
    from rest_framework_json_api import serializers as shaped_serializers
    from rest_framework_json_api import views as shaped_views
    base_serializer, base_view_set = shaped_serializers.ModelSerializer, shaped_views.ModelViewSet
else:
    base_serializer, base_view_set = serializers.ModelSerializer, viewsets.ModelViewSet


class BearerAuthentication(TokenAuthentication):
    keyword = "Bearer"


def text():
    return models.TextField(blank=True)


def optional_text():
    return models.TextField(blank=True, null=True)


def optional_date():
    return models.DateTimeField(null=True)


def reference(name):
    return models.ForeignKey(name, null=True, on_delete=models.CASCADE, related_name="+")


class Owned(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
        app_label = "stories"


class Hero(Owned):
    name, appearance, special_ability = text(), text(), text()
    primary_trait, secondary_trait = text(), text()
    avatar_generated_at = optional_date()
    avatar_generation_id, avatar_image_path, avatar_prompt = optional_text(), optional_text(), optional_text()
    is_active = models.BooleanField()
    visual_profile = reference("HeroVisualProfile")


class HeroVisualProfile(Owned):
    hero = reference("Hero")
    art_style, canonical_prompt, extraction_method, simplified_prompt = text(), text(), text(), text()
    age_appearance, body_type, clothing_colors, clothing_style = [optional_text() for _ in range(4)]
    color_palette, distinctive_features, eye_color, hair_color = [optional_text() for _ in range(4)]
    hair_style, lighting_preference, skin_tone = [optional_text() for _ in range(3)]
    last_updated = models.DateTimeField()


class CustomStoryEvent(Owned):
    title, event_description, prompt_seed = text(), text(), text()
    age_range, category, color_hex, icon_name, tone = text(), text(), text(), text(), text()
    is_ai_enhanced, is_favorite = models.BooleanField(), models.BooleanField()
    keywords = models.JSONField()
    last_pictogram_error, pictogram_path, pictogram_prompt = optional_text(), optional_text(), optional_text()
    pictogram_style = optional_text()
    last_used, pictogram_generated_at = optional_date(), optional_date()
    pictogram_failure_count, usage_count = models.BigIntegerField(), models.BigIntegerField()


class Story(Owned):
    title, content = text(), text()
    hero, custom_event = reference("Hero"), reference("CustomStoryEvent")
    audio_file_name, built_in_event = optional_text(), optional_text()
    audio_needs_regeneration, is_favorite, is_generated = [models.BooleanField() for _ in range(3)]
    estimated_duration = models.FloatField()
    last_modified = models.DateTimeField()
    play_count = models.BigIntegerField()


class StoryIllustration(Owned):
    story = reference("Story")
    image_prompt, text_segment = text(), text()
    error_type, generation_id, image_path, last_error = [optional_text() for _ in range(4)]
    previous_generation_id = optional_text()
    display_order, retry_count = models.BigIntegerField(), models.BigIntegerField()
    failed_at = optional_date()
    is_generated = models.BooleanField()
    timestamp = models.FloatField()


def serializer_of(row):
    class Serializer(base_serializer):
        class Meta:
            model = row
            exclude = ["owner"]

        def build_standard_field(self, name, field):
            made, keywords = super().build_standard_field(name, field)
            # By default Django REST framework cuts white space off the ends of each text.
            return made, {**keywords, "trim_whitespace": False} if made is serializers.CharField else keywords

    return Serializer


def view_set_of(row, collection):
    class ViewSet(base_view_set):
        serializer_class = serializer_of(row)
        resource_name = collection
        authentication_classes = [BearerAuthentication if is_json_api else TokenAuthentication]

        def get_queryset(self):
            return row.objects.filter(owner=self.request.user).order_by("id")

        def perform_create(self, serializer):
            serializer.save(owner=self.request.user)

    return ViewSet


tables = {
    "heros": Hero, "hero_visual_profiles": HeroVisualProfile, "custom_story_events": CustomStoryEvent,
    "stories": Story, "story_illustrations": StoryIllustration}
router = routers.DefaultRouter(trailing_slash=not is_json_api)
for collection, table in tables.items():
    table.JSONAPIMeta = type("JSONAPIMeta", (), {"resource_name": collection})
    router.register(collection, view_set_of(table, collection), basename=collection)
urlpatterns = [path("api/", include(router.urls)), path("health", lambda request: JsonResponse({}))]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for table in tables.values():
            editor.create_model(table)
    for name in ["drf", "other"]:
        Token.objects.create(user=User.objects.create_user(name), key=f"{name}-token")
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)
