/// The WGSL of shadows: the share of a light that is not blocked.
///
/// A map's tap is a point of a disc, perpendicular to the light, that is slid along the light onto the plane of the receiving triangle: a plane never
/// shadows itself, at any slope and any width of the disc. The remaining error, the width of a texel, is covered by moving the receiver off its
/// surface by the slope of a texel: no bias to tune.
let shadowShader = """
    \(ShadowMapUniforms.wgsl)
    \(ShadowUniforms.wgsl)
    @group(0) @binding(\(FrameBindings.shadows)) var<storage, read> shadows: Shadows;
    @group(0) @binding(\(FrameBindings.mainMaps)) var<uniform> mainMaps: array<ShadowMap, \(FrameBindings.mainMapCount)>;
    @group(0) @binding(\(FrameBindings.shadowAtlas)) var shadowAtlas: texture_depth_2d;
    @group(0) @binding(\(FrameBindings.shadowSampler)) var shadowSampler: sampler_comparison;

    const SHADOW_CASCADES = 1u;
    const SHADOW_SINGLE = 2u;
    const SHADOW_CUBE = 3u;
    // Of a light: taps for the distance of blockers, and taps of the filter.
    const LIGHT_TAPS = vec2u(16u, 24u);
    // The cosine and sine of the golden angle.
    const GOLDEN = vec2f(-0.7373688, 0.6754903);

    fn mapAt(index: u32) -> ShadowMap {
        var map = mainMaps[min(index, \(FrameBindings.mainMapCount - 1)u)];
        if (has(MANY_SHADOW_MAPS) && index >= \(FrameBindings.mainMapCount)u) { map = shadows.maps[index]; }
        return map;
    }

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
        // Of the map, read once: memory is slow where neighbouring pixels read different addresses, as taps in the sides of a cube would.
        // Least and greatest u and v; of a cube's first side.
        low: vec2f,
        high: vec2f,
        // Least u and v of a cube's other sides.
        sides12: vec4f,
        sides34: vec4f,
        side5: vec2f,
        // Of a cube: u and v for a tangent of 1, and the light's position.
        scale: vec2f,
        origin: vec3f,
        // As in `ShadowMap`.
        size: f32,
        depth: f32,
        nearest: f32,
        noiseOffset: f32,
        isParallel: bool,
    }

    // `data`: the map, or a cube's first side, whose number is `map`.
    fn tapsAt(data: ShadowMap, map: u32, isCube: bool, r: Receiver) -> Taps {
        let origin = data.origin;
        var t: Taps;
        t.isCube = isCube;
        var toLight = origin.xyz - r.position * origin.w;
        t.distance = length(toLight);
        toLight /= t.distance;
        let texel = data.texel;
        t.texel = texel * t.distance;
        t.size = data.size;
        t.depth = data.depth;
        t.nearest = data.nearest;
        t.noiseOffset = data.noiseOffset;
        t.isParallel = origin.w == 0.0;
        t.low = data.bounds.xy;
        t.high = data.bounds.zw;
        // If the facet faces away although the smooth surface does not, the surface's own slope counts.
        let plane = select(r.normal, r.facet, dot(r.facet, toLight) > 0.02);
        let cosine = dot(plane, toLight);
        let sine = sqrt(saturate(1.0 - cosine * cosine));
        // Four texels are read around a position: at most √2 of a texel's width away.
        t.point = r.position + plane * (1.4142136 * t.texel * sine) + toLight * (0.25 * t.texel);
        var side = vec3f(0.0, 1.0, 0.0);
        if (abs(toLight.y) > 0.9) { side = vec3f(1.0, 0.0, 0.0); }
        let right = normalize(cross(side, toLight));
        let up = cross(toLight, right);
        let slide = toLight / max(cosine, 0.02);
        t.worldRight = right - slide * dot(plane, right);
        t.worldUp = up - slide * dot(plane, up);
        if (!isCube) {
            let m = data.atlasFromWorld;
            t.middle = m * vec4f(t.point, 1.0);
            t.right = m * vec4f(t.worldRight, 0.0);
            t.up = m * vec4f(t.worldUp, 0.0);
        } else {
            t.sides12 = vec4f(mapAt(map + 1u).bounds.xy, mapAt(map + 2u).bounds.xy);
            t.sides34 = vec4f(mapAt(map + 3u).bounds.xy, mapAt(map + 4u).bounds.xy);
            t.side5 = mapAt(map + 5u).bounds.xy;
            t.scale = 1.0 / (vec2f(textureDimensions(shadowAtlas)) * texel);
            t.origin = origin.xyz;
        }
        return t;
    }

    // u, v, depth of a tap in a cube: the side and the position in it, as in `PointLight.cube`.
    fn cubeTap(t: Taps, v: vec3f) -> vec3f {
        let a = abs(v);
        var low = select(t.side5, t.sides34.zw, v.z >= 0.0);
        var onSide = vec2f(select(v.x, -v.x, v.z >= 0.0), v.y);
        var ahead = a.z;
        if (a.x >= a.y && a.x >= a.z) {
            low = select(t.sides12.xy, t.low, v.x >= 0.0);
            onSide = vec2f(select(-v.z, v.z, v.x >= 0.0), v.y);
            ahead = a.x;
        } else if (a.y >= a.z) {
            low = select(t.sides34.xy, t.sides12.zw, v.y >= 0.0);
            onSide = vec2f(select(-v.x, v.x, v.y >= 0.0), v.z);
            ahead = a.y;
        }
        let span = t.high - t.low;
        let scale = 1.0 / max(ahead, 1e-20);
        let uv = low + 0.5 * span + onSide * vec2f(t.scale.x, -t.scale.y) * scale;
        return vec3f(clamp(uv, low, low + span), t.depth * scale);
    }

    // u, v, depth of a tap, offset in metres.
    fn tap(t: Taps, offset: vec2f) -> vec3f {
        if (has(CUBE_SHADOWS) && t.isCube) { return cubeTap(t, t.point + t.worldRight * offset.x + t.worldUp * offset.y - t.origin); }
        let p = t.middle + t.right * offset.x + t.up * offset.y;
        // Behind a perspective light there are no casters.
        if (p.w <= 0.0) { return vec3f(0.0, 0.0, 2.0); }
        let q = p.xyz / p.w;
        // Beyond the far plane nothing occludes.
        return vec3f(clamp(q.xy, t.low, t.high), max(q.z, 0.0));
    }

    fn litAt(t: Taps, offset: vec2f) -> f32 {
        let at = tap(t, offset);
        return textureSampleCompareLevel(shadowAtlas, shadowSampler, at.xy, at.z);
    }

    // Penumbra radius on the receiver in metres, from the depths of blocker and receiver.
    fn penumbra(t: Taps, blocker: f32, receiver: f32) -> f32 {
        if (t.isParallel) { return (blocker - receiver) * t.depth * t.size; }
        return t.size * (blocker / max(receiver, 1e-9) - 1.0);
    }

    // Maximum distance of a blocker from the light's ray.
    fn searchRadius(t: Taps) -> f32 {
        if (t.isParallel) { return max(1.0 - t.middle.z, 0.0) * t.depth * t.size; }
        return min(t.size * max(t.distance / max(t.nearest, 1e-6) - 1.0, 0.0), t.distance * 0.5);
    }

    // Percentage-closer soft shadows (Fernando 2005): the mean distance of blockers determines the width of the edge. The first tap lies
    // on the light's ray, so that a point in the umbra always has a blocker. Returns the penumbra's radius; less than 0 without blockers.
    fn penumbraAt(t: Taps, start: vec2f, reach: f32, tapCount: u32) -> f32 {
        let size = vec2f(textureDimensions(shadowAtlas));
        var turn = start;
        var sum = 0.0;
        var count = 0.0;
        var i = 0u;
        loop {
            let at = tap(t, turn * (reach * sqrt(f32(i) / f32(tapCount - 1u))));
            let blocker = textureLoad(shadowAtlas, vec2i(at.xy * size), 0);
            if (blocker > at.z) {
                sum += penumbra(t, blocker, at.z);
                count += 1.0;
            }
            turn = vec2f(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
            continuing {
                i += 1u;
                break if (i >= tapCount);
            }
        }
        return select(min(sum / count, reach), -1.0, count == 0.0);
    }

    // Hard edges, two texels wide, are four taps that share texels; soft ones a disc. One loop for both, with its test at the end: software
    // GPUs execute every branch that a pixel could take, and the body of a loop once more for its last test.
    fn mapShadow(data: ShadowMap, map: u32, isCube: bool, r: Receiver, tapCounts: vec2u) -> f32 {
        let t = tapsAt(data, map, isCube, r);
        var reach = 0.0;
        if (has(SOFT_SHADOWS) && t.size > 0.0) { reach = searchRadius(t); }
        if (t.isParallel) {
            // All casters that matter lie in the map: beside it everything is lit.
            let span = (abs(t.right.xy) + abs(t.up.xy)) * max(reach, t.texel);
            if (any(t.middle.xy + span < t.low) || any(t.middle.xy - span > t.high)) { return 1.0; }
        }
        var radius = 0.0;
        var turn = vec2f(1.0, 0.0);
        if (has(SOFT_SHADOWS)) {
            let phase = 6.2831853 * fract(r.noise + t.noiseOffset);
            turn = vec2f(cos(phase), sin(phase));
            if (reach >= t.texel) { radius = penumbraAt(t, turn, reach, tapCounts.x); }
            if (radius < 0.0) { return 1.0; }
        }
        let isSoft = has(SOFT_SHADOWS) && radius >= t.texel;
        let count = select(4u, tapCounts.y, isSoft);
        let h = t.texel * 0.5;
        var lit = 0.0;
        var i = 0u;
        loop {
            let corner = vec2f(select(-h, h, (i & 1u) == 1u), select(-h, h, i >= 2u));
            lit += litAt(t, select(corner, turn * (radius * sqrt((f32(i) + 0.5) / f32(tapCounts.y))), isSoft));
            turn = vec2f(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
            continuing {
                i += 1u;
                break if (i >= count);
            }
        }
        return lit / f32(count);
    }

    // Distance from the tile's centre: 0 in the centre, 1 at the edge.
    fn distanceInMap(data: ShadowMap, position: vec3f) -> f32 {
        let p = data.atlasFromWorld * vec4f(position, 1.0);
        if (p.w <= 0.0) { return 2.0; }
        let bounds = data.bounds;
        let q = abs((p.xy / p.w - (bounds.xy + bounds.zw) * 0.5) / ((bounds.zw - bounds.xy) * 0.5));
        return max(q.x, q.y);
    }

    // The share of a light that arrives, 0…1. `mode` holds the kind and the number of maps.
    fn shadow(first: u32, mode: u32, r: Receiver) -> f32 {
        let kind = mode & 3u;
        if (kind == 0u) { return 1.0; }
        let isCube = has(CUBE_SHADOWS) && kind == SHADOW_CUBE;
        let count = select(mode >> 2u, 1u, isCube);
        var result = 1.0;
        // The remaining share of the shadow, for coarser maps.
        var open = 1.0;
        var i = 0u;
        loop {
            let data = mapAt(first + i);
            var distance = 0.0;
            var share = 1.0;
            if (!isCube) {
                distance = distanceInMap(data, r.position);
                if (data.fadesAtEdge > 0.0) { share = saturate((1.0 - distance) * 10.0); }
            }
            if (distance < 1.0) {
                result -= open * share * (1.0 - mapShadow(data, first + i, isCube, r, LIGHT_TAPS));
                open *= 1.0 - share;
            }
            continuing {
                i += 1u;
                break if (i >= count || open <= 0.0);
            }
        }
        return result;
    }

    // The share of the environment's light from its brightest parts that arrives at a plane facing `normal`.
    fn environmentShadow(r: Receiver) -> f32 {
        let tapCounts = vec2u(shadows.blockerTaps, shadows.filterTaps);
        var lost = 0.0;
        var all = 0.0;
        var i = 0u;
        // Maps of lights have no weight: so the first one is harmless where the environment has none.
        loop {
            let map = shadows.environmentFirst + i;
            let data = mapAt(map);
            let weight = data.weight * saturate(dot(r.normal, data.origin.xyz));
            if (weight > 0.0) {
                all += weight;
                lost += weight * (1.0 - mapShadow(data, map, false, r, tapCounts));
            }
            continuing {
                i += 1u;
                break if (i >= shadows.environmentCount);
            }
        }
        return 1.0 - lost / max(all, 1e-9);
    }
    """
