#!/usr/bin/env ruby
# frozen_string_literal: true

# Ruby on Rails, with what its own generator makes of each collection: `scaffold NAME FIELD:KIND… --api`.
#
#     rails_server.rb FOLDER PORT KEYS 'NAME FIELD:KIND …' …
#
# FOLDER gets the generated files and the database `rails.sqlite`. KEYS is `number` for keys that the database counts,
# or `uuid` for keys that the model makes. Beside the fields that are named, each collection has a `local_id` that is
# unique. A request needs the token `rails-token`. `/__seen` says how many requests of a kind came.

require "logger"
require "rails"
require "active_model/railtie"
require "active_record/railtie"
require "action_controller/railtie"
require "rack/handler/webrick"

FOLDER, PORT, KEYS, *COLLECTIONS = ARGV
SEEN = Hash.new(0)

# Counts requests, and lets them through one after the other, as SQLite writes.
class Counting
  KINDS = { "GET" => "reads", "POST" => "creates", "PATCH" => "updates", "DELETE" => "deletes" }.freeze

  def initialize(app)
    @app = app
    @turn = Mutex.new
  end

  def call(env)
    @turn.synchronize do
      if env["PATH_INFO"] == "/__seen"
        content = JSON.generate(SEEN)
        SEEN.clear if env["QUERY_STRING"] == "reset"
        return [200, { "Content-Type" => "application/json" }, [content]]
      end
      SEEN[KINDS[env["REQUEST_METHOD"]]] += 1
      @app.call(env)
    end
  end
end

class Stories < Rails::Application
  config.root = FOLDER
  config.load_defaults 6.1
  config.api_only = true
  config.eager_load = false
  config.consider_all_requests_local = false
  config.secret_key_base = "for-tests"
  config.hosts.clear
  config.logger = Logger.new("#{FOLDER}/rails.log")
  config.middleware.insert_before 0, Counting
  config.generators.system_tests = nil
  config.generators.test_framework nil
end

# What `rails new --api` writes, and the generator adds to.
{
  "config/database.yml" =>
    "development: { adapter: sqlite3, database: #{FOLDER}/rails.sqlite, pool: 5, timeout: 5000 }\n",
  "config/routes.rb" => "Rails.application.routes.draw do\nend\n",
  "config/initializers/wrap_parameters.rb" =>
    "ActiveSupport.on_load(:action_controller) { wrap_parameters format: [:json] }\n",
  "app/models/application_record.rb" =>
    "class ApplicationRecord < ActiveRecord::Base\n  self.abstract_class = true\nend\n",
  "app/controllers/application_controller.rb" => <<~TEXT,
    class ApplicationController < ActionController::API
      include ActionController::HttpAuthentication::Token::ControllerMethods
      before_action { authenticate_or_request_with_http_token { |token| token == "rails-token" } }
    end
  TEXT
}.each do |name, text|
  FileUtils.mkdir_p(File.dirname("#{FOLDER}/#{name}"))
  File.write("#{FOLDER}/#{name}", text)
end

Rails.application.initialize!
Rails.application.load_generators
COLLECTIONS.each do |collection|
  name, *fields = collection.split
  flags = %w[--api --quiet --skip-collision-check]
  flags << "--primary-key-type=uuid" if KEYS == "uuid"
  Rails::Generators.invoke("scaffold", [name, "local_id:string:uniq", *fields, *flags], destination_root: FOLDER)
  # What a person adds to what was generated.
  controller = "#{FOLDER}/app/controllers/#{name.pluralize}_controller.rb"
  File.write(controller, File.read(controller).sub("permit(", "permit(:created_at, "))
  model = "#{FOLDER}/app/models/#{name}.rb"
  lines = "  validates :local_id, uniqueness: true\n"
  lines += "  before_create { self.id = SecureRandom.uuid }\n" if KEYS == "uuid"
  File.write(model, File.read(model).sub("\n", "\n#{lines}"))
end
ActiveRecord::Migration.verbose = false
ActiveRecord::MigrationContext.new("#{FOLDER}/db/migrate", ActiveRecord::SchemaMigration).migrate
Rails.application.reload_routes!
Rack::Handler::WEBrick.run(
  Rails.application, Host: "127.0.0.1", Port: PORT.to_i, Logger: WEBrick::Log.new(File::NULL), AccessLog: []
)
