#pragma once
#define COLUMNS TILE
