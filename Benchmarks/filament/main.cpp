// Draws a glTF model with Debian's Filament and prints the time of finished frames as JSON: a baseline with its own GPU backend.
//
//   frame MODEL.gltf IBL_DIRECTORY [--size WxH] [--orbit AZ,EL,DIST] [--target X,Y,Z] [--fov DEG] [--environment-rotation DEG]
//         [--msaa 1|4] [--backend vulkan|opengl] [--benchmark FRAMES] [--warmup FRAMES] [-o IMAGE.ppm]
//
// IBL_DIRECTORY is what `cmgen -f ktx -x` made of the environment. No shadows, no screen-space effects, no dithering; tone mapping is linear.
// A frame counts as finished when the driver has waited for it (Engine::flushAndWait); nothing is read back while frames are timed.

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <filament/Camera.h>
#include <filament/ColorGrading.h>
#include <filament/Engine.h>
#include <filament/Fence.h>
#include <filament/IndirectLight.h>
#include <filament/LightManager.h>
#include <filament/RenderableManager.h>
#include <filament/Renderer.h>
#include <filament/Scene.h>
#include <filament/Skybox.h>
#include <filament/SwapChain.h>
#include <filament/Texture.h>
#include <filament/TransformManager.h>
#include <filament/View.h>
#include <filament/Viewport.h>
#include <gltfio/AssetLoader.h>
#include <gltfio/FilamentAsset.h>
#include <gltfio/MaterialProvider.h>
#include <gltfio/ResourceLoader.h>
#include <image/KtxBundle.h>
#include <image/KtxUtility.h>
#include <utils/EntityManager.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace filament;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
    std::string model, ibl, output, backend = "opengl";
    uint32_t width = 1280, height = 720;
    double azimuth = -33.7, elevation = 10.5, distance = 3.3, fov = 45, rotation = 0;
    math::double3 target{0, 0, 0};
    int msaa = 1, benchmark = 0, warmup = 3;
};

[[noreturn]] void fail(const std::string& reason) {
    std::fprintf(stderr, "error: filament: %s\n", reason.c_str());
    std::exit(1);
}

std::vector<uint8_t> readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path + ": can't be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

Options parse(int count, char** words) {
    Options o;
    std::vector<std::string> plain;
    for (int i = 1; i < count; i++) {
        std::string word = words[i];
        if (word[0] != '-') { plain.push_back(word); continue; }
        if (i + 1 == count) fail(word + ": a value is missing");
        const char* value = words[++i];
        if (word == "--size") std::sscanf(value, "%ux%u", &o.width, &o.height);
        else if (word == "--orbit") std::sscanf(value, "%lf,%lf,%lf", &o.azimuth, &o.elevation, &o.distance);
        else if (word == "--target") std::sscanf(value, "%lf,%lf,%lf", &o.target.x, &o.target.y, &o.target.z);
        else if (word == "--fov") o.fov = std::atof(value);
        else if (word == "--environment-rotation") o.rotation = std::atof(value);
        else if (word == "--msaa") o.msaa = std::atoi(value);
        else if (word == "--backend") o.backend = value;
        else if (word == "--benchmark") o.benchmark = std::atoi(value);
        else if (word == "--warmup") o.warmup = std::atoi(value);
        else if (word == "-o") o.output = value;
        else fail(word + ": unknown option");
    }
    if (plain.size() != 2) fail("give MODEL and IBL_DIRECTORY");
    o.model = plain[0];
    o.ibl = plain[1];
    return o;
}

// `cmgen -x` names its files after the directory.
IndirectLight* loadEnvironment(Engine& engine, const Options& o) {
    std::string name = o.ibl.substr(o.ibl.find_last_of('/') + 1);
    auto bytes = readFile(o.ibl + "/" + name + "_ibl.ktx");
    auto* bundle = new image::KtxBundle(bytes.data(), uint32_t(bytes.size()));
    math::float3 harmonics[9];
    if (!bundle->getSphericalHarmonics(harmonics)) fail(o.ibl + ": no spherical harmonics");
    Texture* reflections = image::ktx::createTexture(&engine, bundle, false);
    // Filament has the middle of the equirectangular image towards +Z; here it lies towards +X.
    float angle = float((o.rotation + 90) * M_PI / 180);
    auto rotation = math::mat3f::rotation(angle, math::float3{0, 1, 0});
    return IndirectLight::Builder().reflections(reflections).irradiance(3, harmonics).intensity(1).rotation(rotation).build(engine);
}

struct Program {
    Options o;
    Engine* engine;
    SwapChain* swapChain;
    Renderer* renderer;
    Scene* scene;
    View* view;
    Camera* camera;

    void aim(double degrees) {
        double a = (o.azimuth + degrees) * M_PI / 180, e = o.elevation * M_PI / 180;
        math::double3 offset{std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e)};
        camera->lookAt(math::float3(o.target + o.distance * offset), math::float3(o.target), {0, 1, 0});
    }

    void draw(double degrees) {
        aim(degrees);
        while (!renderer->beginFrame(swapChain)) {}
        renderer->render(view);
        renderer->endFrame();
        engine->flushAndWait();
    }

    void save(double degrees) {
        std::vector<uint8_t> pixels(size_t(o.width) * o.height * 4);
        aim(degrees);
        while (!renderer->beginFrame(swapChain)) {}
        renderer->render(view);
        bool done = false;
        backend::PixelBufferDescriptor buffer(
            pixels.data(), pixels.size(), backend::PixelDataFormat::RGBA, backend::PixelDataType::UBYTE,
            [](void*, size_t, void* user) { *static_cast<bool*>(user) = true; }, &done);
        renderer->readPixels(0, 0, o.width, o.height, std::move(buffer));
        renderer->endFrame();
        while (!done) engine->flushAndWait();
        std::FILE* file = std::fopen(o.output.c_str(), "wb");
        if (!file) fail(o.output + ": can't be written");
        std::fprintf(file, "P6\n%u %u\n255\n", o.width, o.height);
        for (uint32_t row = 0; row < o.height; row++) {
            uint32_t from = row;
            for (uint32_t column = 0; column < o.width; column++) std::fwrite(&pixels[(size_t(from) * o.width + column) * 4], 3, 1, file);
        }
        std::fclose(file);
    }
};

}  // namespace

int main(int count, char** words) {
    auto started = Clock::now();
    auto since = [](Clock::time_point from) { return std::chrono::duration<double, std::milli>(Clock::now() - from).count(); };
    Program p{parse(count, words)};
    const Options& o = p.o;
    // With framebuffer fetch, llvmpipe of Mesa 22.3.6 draws Filament's colour grading as noise: take the way without.
    setenv("MESA_EXTENSION_OVERRIDE", "-GL_EXT_shader_framebuffer_fetch -GL_EXT_shader_framebuffer_fetch_non_coherent", 1);
    p.engine = Engine::create(o.backend == "vulkan" ? Engine::Backend::VULKAN : Engine::Backend::OPENGL);
    if (!p.engine) fail("no engine for " + o.backend);
    p.swapChain = p.engine->createSwapChain(o.width, o.height, SwapChain::CONFIG_READABLE);
    p.renderer = p.engine->createRenderer();
    p.scene = p.engine->createScene();
    p.view = p.engine->createView();
    p.camera = p.engine->createCamera(utils::EntityManager::get().create());
    p.view->setScene(p.scene);
    p.view->setCamera(p.camera);
    p.view->setViewport({0, 0, o.width, o.height});
    p.view->setShadowingEnabled(false);
    p.view->setDithering(View::Dithering::NONE);
    p.view->setAntiAliasing(View::AntiAliasing::NONE);
    p.view->setSampleCount(uint8_t(o.msaa));
    p.view->setAmbientOcclusionOptions({});
    p.view->setColorGrading(ColorGrading::Builder().toneMapping(ColorGrading::ToneMapping::LINEAR).build(*p.engine));
    Renderer::ClearOptions clear;
    clear.clear = true;
    p.renderer->setClearOptions(clear);
    p.camera->setProjection(o.fov, double(o.width) / o.height, o.distance * 0.01, o.distance * 10, Camera::Fov::VERTICAL);
    // Exposure 1: a radiance of 1 is written as 1.
    p.camera->setExposure(1.0f);

    p.scene->setIndirectLight(loadEnvironment(*p.engine, o));

    gltfio::MaterialProvider* materials = gltfio::createUbershaderLoader(p.engine);
    gltfio::AssetLoader* loader = gltfio::AssetLoader::create({p.engine, materials});
    auto loading = Clock::now();
    auto bytes = readFile(o.model);
    bool binary = bytes.size() > 4 && std::equal(bytes.begin(), bytes.begin() + 4, "glTF");
    gltfio::FilamentAsset* asset = binary ? loader->createAssetFromBinary(bytes.data(), uint32_t(bytes.size()))
                                          : loader->createAssetFromJson(bytes.data(), uint32_t(bytes.size()));
    if (!asset) fail(o.model + ": not read");
    gltfio::ResourceConfiguration configuration{};
    configuration.engine = p.engine;
    configuration.gltfPath = o.model.c_str();
    configuration.normalizeSkinningWeights = true;
    if (!gltfio::ResourceLoader(configuration).loadResources(asset)) fail(o.model + ": resources not read");
    double loadTime = since(loading);
    p.scene->addEntities(asset->getEntities(), asset->getEntityCount());

    p.draw(0);
    double firstFrame = since(started);
    if (!o.output.empty()) p.save(0);
    std::printf("{\"program\": \"Filament 1.9.25\", \"backend\": \"%s\", \"msaa\": %d, \"load_ms\": %.1f, \"startup_ms\": %.1f", o.backend.c_str(), o.msaa, loadTime, firstFrame);
    if (o.benchmark > 0) {
        for (int i = 0; i < o.warmup; i++) p.draw(-1 - i);
        std::vector<double> times;
        for (int i = 0; i < o.benchmark; i++) {
            auto begin = Clock::now();
            p.draw(i);
            times.push_back(since(begin));
        }
        std::sort(times.begin(), times.end());
        std::printf(", \"frame_ms\": {\"min\": %.3f, \"median\": %.3f, \"max\": %.3f}", times.front(), times[times.size() / 2], times.back());
    }
    std::printf("}\n");
    std::fflush(stdout);
    std::_Exit(0);  // Debian's Filament can hang in the driver's teardown; the numbers are out.
}
