/// Shadows: the share of a light that is not blocked.
///
/// A map's tap is a point of a disc, perpendicular to the light, that is slid along the light onto the plane of the receiving triangle: a
/// plane never shadows itself, however slanted and however wide the disc. The remaining error, the width of a texel, is covered by moving the
/// receiver off its surface by the slope of a texel: no bias to tune.
let shadowShader = """
    \(ShadowMapUniforms.wgsl)
    \(ShadowUniforms.wgsl)
    @group(0) @binding(\(FrameBindings.shadows)) var<storage, read> shadows: Shadows;
    @group(0) @binding(\(FrameBindings.shadowAtlas)) var shadowAtlas: texture_depth_2d;
    @group(0) @binding(\(FrameBindings.shadowSampler)) var shadowSampler: sampler_comparison;

    const SHADOW_CASCADES = 1u;
    const SHADOW_SINGLE = 2u;
    const SHADOW_CUBE = 3u;
    const BLOCKER_TAPS = 16u;
    const FILTER_TAPS = 24u;
    // The cosine and sine of the golden angle.
    const GOLDEN = vec2f(-0.7373688, 0.6754903);

    // A point that receives light, and the plane around it.
    struct Receiver {
        position: vec3f,
        // Of the triangle; towards the eye.
        facet: vec3f,
        // Of the interpolated surface.
        normal: vec3f,
        // 0…1, different from pixel to pixel.
        noise: f32,
    }

    // Along the triangle's normal: set by `surfaceAt` from derivatives, where control flow is uniform.
    var<private> trianglePlane: vec3f;
    // A point of the plane.
    var<private> trianglePoint: vec3f;

    fn receiverOf(s: Surface, fragment: vec2f) -> Receiver {
        var r: Receiver;
        r.position = s.position;
        r.normal = s.geometricNormal;
        let n = trianglePlane;
        let squared = dot(n, n);
        r.facet = s.geometricNormal;
        if (squared > 1e-30) {
            r.facet = n * inverseSqrt(squared);
            if (dot(r.facet, s.geometricNormal) < 0.0) { r.facet = -r.facet; }
            // At the triangle's edge, centroid interpolation leaves its plane a little.
            r.position -= r.facet * dot(r.facet, s.position - trianglePoint);
        }
        // Interleaved gradient noise (Jimenez 2014).
        r.noise = fract(52.9829189 * fract(dot(floor(fragment), vec2f(0.06711056, 0.00583715))));
        return r;
    }

    // The disc of taps around a receiver, in the atlas.
    struct Taps {
        map: u32,
        isCube: bool,
        // In the atlas, homogeneous: the middle, and a metre along the disc's two axes.
        middle: vec4f,
        right: vec4f,
        up: vec4f,
        // The same in the world, for cubes.
        point: vec3f,
        worldRight: vec3f,
        worldUp: vec3f,
        // Metres from the light.
        distance: f32,
        // Width of a texel here, metres.
        texel: f32,
    }

    fn cubeSide(v: vec3f) -> u32 {
        let a = abs(v);
        if (a.x >= a.y && a.x >= a.z) { return select(1u, 0u, v.x >= 0.0); }
        if (a.y >= a.z) { return select(3u, 2u, v.y >= 0.0); }
        return select(5u, 4u, v.z >= 0.0);
    }

    fn tapsAt(map: u32, isCube: bool, r: Receiver) -> Taps {
        let origin = shadows.maps[map].origin;
        var t: Taps;
        t.map = map;
        t.isCube = isCube;
        var toLight = origin.xyz - r.position * origin.w;
        t.distance = length(toLight);
        toLight /= t.distance;
        t.texel = shadows.maps[map].texel * t.distance;
        // If the facet faces away although the smooth surface does not, the surface's own slope counts.
        let plane = select(r.normal, r.facet, dot(r.facet, toLight) > 0.02);
        let cosine = dot(plane, toLight);
        let sine = sqrt(saturate(1.0 - cosine * cosine));
        // Four texels are read around a place: at most √2 of a texel's width away.
        t.point = r.position + plane * (1.4142136 * t.texel * sine) + toLight * (0.25 * t.texel);
        var side = vec3f(0.0, 1.0, 0.0);
        if (abs(toLight.y) > 0.9) { side = vec3f(1.0, 0.0, 0.0); }
        let right = normalize(cross(side, toLight));
        let up = cross(toLight, right);
        let slide = toLight / max(cosine, 0.02);
        t.worldRight = right - slide * dot(plane, right);
        t.worldUp = up - slide * dot(plane, up);
        if (!isCube) {
            let m = shadows.maps[map].atlasFromWorld;
            t.middle = m * vec4f(t.point, 1.0);
            t.right = m * vec4f(t.worldRight, 0.0);
            t.up = m * vec4f(t.worldUp, 0.0);
        }
        return t;
    }

    // u, v, depth of a tap, offset in metres; and the map it falls into.
    fn tap(t: Taps, offset: vec2f) -> vec4f {
        var map = t.map;
        var p: vec4f;
        if (t.isCube) {
            let world = t.point + t.worldRight * offset.x + t.worldUp * offset.y;
            map += cubeSide(world - shadows.maps[t.map].origin.xyz);
            p = shadows.maps[map].atlasFromWorld * vec4f(world, 1.0);
        } else {
            p = t.middle + t.right * offset.x + t.up * offset.y;
        }
        // Behind a perspective light there are no casters.
        if (p.w <= 0.0) { return vec4f(0.0, 0.0, 2.0, 0.0); }
        let q = p.xyz / p.w;
        let bounds = shadows.maps[map].bounds;
        // Beyond the far plane nothing occludes.
        return vec4f(clamp(q.xy, bounds.xy, bounds.zw), max(q.z, 0.0), 0.0);
    }

    fn litAt(t: Taps, offset: vec2f) -> f32 {
        let at = tap(t, offset);
        return textureSampleCompareLevel(shadowAtlas, shadowSampler, at.xy, at.z);
    }

    // Two texels wide edges: four taps that share texels.
    fn hardShadow(t: Taps) -> f32 {
        let h = t.texel * 0.5;
        return 0.25 * (litAt(t, vec2f(-h, -h)) + litAt(t, vec2f(h, -h)) + litAt(t, vec2f(-h, h)) + litAt(t, vec2f(h, h)));
    }

    // Penumbra radius on the receiver in metres, from the depths of blocker and receiver.
    fn penumbra(t: Taps, blocker: f32, receiver: f32) -> f32 {
        let size = shadows.maps[t.map].size;
        if (shadows.maps[t.map].origin.w == 0.0) { return (blocker - receiver) * shadows.maps[t.map].depth * size; }
        return size * (blocker / max(receiver, 1e-9) - 1.0);
    }

    // Maximum distance of a blocker from the light's ray.
    fn searchRadius(t: Taps) -> f32 {
        let size = shadows.maps[t.map].size;
        if (shadows.maps[t.map].origin.w == 0.0) {
            return max(1.0 - t.middle.z, 0.0) * shadows.maps[t.map].depth * size;
        }
        return min(size * max(t.distance / max(shadows.maps[t.map].nearest, 1e-6) - 1.0, 0.0), t.distance * 0.5);
    }

    // Percentage-closer soft shadows (Fernando 2005): the mean distance of blockers determines the width of the edge. The
    // first tap lies on the light's ray, so that the umbra always finds a blocker.
    fn softShadow(t: Taps, r: Receiver) -> f32 {
        let reach = searchRadius(t);
        if (reach < t.texel) { return hardShadow(t); }
        let phase = 6.2831853 * fract(r.noise + shadows.maps[t.map].noiseOffset);
        let start = vec2f(cos(phase), sin(phase));
        let size = vec2f(textureDimensions(shadowAtlas));
        var turn = start;
        var sum = 0.0;
        var count = 0.0;
        for (var i = 0u; i < BLOCKER_TAPS; i++) {
            let at = tap(t, turn * (reach * sqrt(f32(i) / f32(BLOCKER_TAPS - 1u))));
            let blocker = textureLoad(shadowAtlas, vec2i(at.xy * size), 0);
            if (blocker > at.z) {
                sum += penumbra(t, blocker, at.z);
                count += 1.0;
            }
            turn = vec2f(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
        }
        if (count == 0.0) { return 1.0; }
        let radius = min(sum / count, reach);
        if (radius < t.texel) { return hardShadow(t); }
        var lit = 0.0;
        turn = start;
        for (var i = 0u; i < FILTER_TAPS; i++) {
            lit += litAt(t, turn * (radius * sqrt((f32(i) + 0.5) / f32(FILTER_TAPS))));
            turn = vec2f(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
        }
        return lit / f32(FILTER_TAPS);
    }

    fn mapShadow(map: u32, isCube: bool, r: Receiver) -> f32 {
        let t = tapsAt(map, isCube, r);
        if (has(SOFT_SHADOWS) && shadows.maps[map].size > 0.0) { return softShadow(t, r); }
        return hardShadow(t);
    }

    // Distance from the tile's centre: 0 in the centre, 1 at the edge.
    fn placeInMap(map: u32, position: vec3f) -> f32 {
        let p = shadows.maps[map].atlasFromWorld * vec4f(position, 1.0);
        if (p.w <= 0.0) { return 2.0; }
        let bounds = shadows.maps[map].bounds;
        let q = abs((p.xy / p.w - (bounds.xy + bounds.zw) * 0.5) / ((bounds.zw - bounds.xy) * 0.5));
        return max(q.x, q.y);
    }

    // The share of a light that arrives, 0…1. `mode` holds the kind and the number of maps.
    fn shadow(first: u32, mode: u32, r: Receiver) -> f32 {
        let kind = mode & 3u;
        if (kind == 0u) { return 1.0; }
        if (has(CUBE_SHADOWS) && kind == SHADOW_CUBE) { return mapShadow(first, true, r); }
        let count = mode >> 2u;
        var result = 1.0;
        // The remaining share of the shadow, for coarser maps.
        var open = 1.0;
        for (var i = 0u; i < count; i++) {
            let place = placeInMap(first + i, r.position);
            if (place >= 1.0) { continue; }
            var share = 1.0;
            if (shadows.maps[first + i].fadesAtEdge > 0.0) { share = saturate((1.0 - place) * 10.0); }
            result -= open * share * (1.0 - mapShadow(first + i, false, r));
            open *= 1.0 - share;
            if (open <= 0.0) { break; }
        }
        return result;
    }

    // The share of the environment's light from its brightest parts that arrives at a plane facing `normal`.
    fn environmentShadow(r: Receiver) -> f32 {
        var lost = 0.0;
        var all = 0.0;
        for (var i = 0u; i < shadows.environmentCount; i++) {
            let map = shadows.environmentFirst + i;
            let weight = shadows.maps[map].weight * saturate(dot(r.normal, shadows.maps[map].origin.xyz));
            if (weight <= 0.0) { continue; }
            all += weight;
            lost += weight * (1.0 - mapShadow(map, false, r));
        }
        return 1.0 - lost / max(all, 1e-9);
    }
    """
